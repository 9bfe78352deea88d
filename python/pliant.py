"""Pliant from Python: trains, evaluates and predicts through the pliant command. Copy this file beside your notebook.

Needs Node 20.19 or later and `npm install pliant` in this folder or above it; data frames need pandas."""

import json
import os
import shlex
import subprocess
import tempfile
from contextlib import contextmanager

#: The command, as in "npx pliant" or "node_modules/.bin/pliant"; PLIANT_COMMAND overrides it.
COMMAND = shlex.split(os.environ.get("PLIANT_COMMAND", "npx pliant"))


class PliantError(Exception):
    """The command failed; `kind` is usage, failed, network or interrupted, `exit` its exit code."""

    def __init__(self, kind, exit, message):
        super().__init__(message)
        self.kind, self.exit = kind, exit


def call(*arguments):
    """Runs a command with --json and returns its answer. A violated requirement (exit code 1) is an answer, not an error."""
    ran = subprocess.run([*COMMAND, *map(str, arguments), "--json"], stdout=subprocess.PIPE, text=True)
    try:
        answer = json.loads(ran.stdout)
    except json.JSONDecodeError:
        raise PliantError("failed", ran.returncode, ran.stdout or "pliant printed no answer") from None
    if ran.returncode > 1:
        raise PliantError(**answer["error"])
    return answer


def _write(frame, path):
    """Writes a data frame as Parquet, or as CSV without pyarrow, and returns the file's path."""
    try:
        frame.to_parquet(f"{path}.parquet", index=False)
        return f"{path}.parquet"
    except ImportError:
        frame.to_csv(f"{path}.csv", index=False)
        return f"{path}.csv"


@contextmanager
def _file(table):
    """The path of a table: that of a file, or of a temporary one for a data frame."""
    if not hasattr(table, "to_parquet"):
        yield os.fspath(table)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield _write(table, os.path.join(folder, "table"))


class Run:
    """A finished run: `report` has every requirement's level, value, relaxation and price."""

    def __init__(self, folder, report=None):
        self.folder = os.fspath(folder)
        self.report = report if report is not None else call("report", self.folder)

    @property
    def certified(self):
        return self.report["certificate"]["holds"]

    def prices(self):
        """The price of each requirement, or None if this run does not determine it."""
        return {
            name: None if requirement.get("unsettled") else requirement.get("price")
            for name, requirement in self.report["requirements"].items()
        }

    def predict(self, table):
        """One dictionary per row: the class and its probability, or a number."""
        with _file(table) as path:
            return call("predict", self.folder, path)["rows"]

    def evaluate(self, table):
        with _file(table) as path:
            return call("evaluate", self.folder, path)

    def insist(self, requirement, level=None):
        """What making a requirement hard would cost, at its level or another."""
        return call("insist", self.folder, requirement, *([] if level is None else [level]))

    def export(self, file):
        """Writes the model as ONNX, preprocessing included."""
        return call("export", self.folder, file)


def train(spec, *options, table=None, out=None):
    """Trains a spec file. `table` takes the place of its data file; a data frame is written beside the spec."""
    more = [] if out is None else ["--out", os.fspath(out)]
    if table is not None:
        stem = os.path.splitext(os.path.abspath(spec))[0]
        path = _write(table, stem) if hasattr(table, "to_parquet") else os.path.abspath(table)
        more += ["--set", f"data.file={path}"]
    answer = call("train", spec, *options, *more)
    return Run(answer["run"], answer)
