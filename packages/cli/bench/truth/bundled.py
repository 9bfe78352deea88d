#!/usr/bin/env python3
"""The tables that come with scikit-learn, as JSON by name and column, rows mixed the same way each time."""
import json

import numpy as np
from sklearn import datasets


def columns(name):
    found = getattr(datasets, f"load_{name}")()
    order = np.random.default_rng(0).permutation(len(found.target))
    x, y = found.data[order], found.target[order]
    table = {f"x{j + 1}": x[:, j].tolist() for j in range(x.shape[1])}
    if name == "breast_cancer":
        table["y"] = (1 - y).tolist()  # malignant is what is looked for
        table["group"] = np.where(x[:, 1] > np.median(x[:, 1]), "coarse", "fine").tolist()
    elif name == "diabetes":
        table["y"] = y.tolist()
        table["group"] = np.where(table.pop("x2") > np.zeros(len(y)), "one", "other").tolist()
    else:
        table["y"] = [f"is {found.target_names[k]}" for k in y]
    return table


print(json.dumps({name: columns(name) for name in ["breast_cancer", "wine", "iris", "digits", "diabetes"]}))
