"""Rows of a CSV file as the peers take them, and the rates of a model's answers, counted."""
import numpy as np
import pandas as pd


class Rows:
    """Numeric columns, the target y and, where there is one, the group; standardised by the training rows."""

    def __init__(self, path, like=None):
        table = pd.read_csv(path)
        self.y = table["y"].to_numpy()
        self.group = table["group"].to_numpy() if "group" in table else None
        x = table.drop(columns=[c for c in ["y", "group"] if c in table]).to_numpy(float)
        self.mean, self.std = (x.mean(0), x.std(0)) if like is None else (like.mean, like.std)
        self.x = (x - self.mean) / self.std

    def parts(self, kind):
        """Of each requirement: the rows counted, those compared with (None: a level), and whether a yes or a no is counted."""
        yes, all_rows = self.y == 1, np.ones(len(self.y), bool)
        if kind == "misses":
            return [(yes, None, False)]
        first = self.group == sorted(set(self.group))[0]
        of = {"parity": [(all_rows, True)], "odds": [(yes, False), (~yes, True)]}[kind]
        both = [(first, ~first), (~first, first)]
        return [(rows & a, rows & b, counted) for rows, counted in of for a, b in both]


def rates(rows, kind, chance):
    """The largest of the kind's rates or gaps, and the error, of answers that are yes with some chance (0 or 1: certainly)."""
    share = lambda part, yes: (chance if yes else 1 - chance)[part].mean()
    found = [share(a, yes) - (0 if b is None else share(b, yes)) for a, b, yes in rows.parts(kind)]
    return {"rate": float(max(found)), "error": float(np.abs(rows.y - chance).mean())}
