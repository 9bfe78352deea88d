#!/usr/bin/env python3
"""The peers of the decisions benchmark: JSON lines on stdin, one JSON line answers each.

  {"train": CSV, "test": CSV, "peer": "lightgbm" | "exponentiated" | "thresholds", "kind": "parity" | "odds", "bound": 0.05}
  -> {"seconds", "given": [0, 1, …] of the test rows, "probability": [… of 1] where there is one, "held": {"score", "y", "group"}}

lightgbm: with its defaults; scores of five folds come back, for the same threshold to be moved. exponentiated: Fairlearn's
ExponentiatedGradient over a logistic regression. thresholds: its ThresholdOptimizer over the same.
"""
import json
import sys
import time
import warnings

import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")


def rows(path, columns=None):
    table = pd.read_csv(path)
    y, group = table.pop("y").to_numpy(), table.pop("group").to_numpy()
    x = pd.get_dummies(table, dtype=float)
    return (x if columns is None else x.reindex(columns=columns, fill_value=0.0)), y, group


def solve(m):
    x, y, group = rows(m["train"])
    tx, ty, tgroup = rows(m["test"], x.columns)
    start = time.perf_counter()
    if m["peer"] == "lightgbm":
        from lightgbm import LGBMClassifier
        from sklearn.model_selection import cross_val_predict

        make = lambda: LGBMClassifier(verbose=-1, n_jobs=1)
        held = cross_val_predict(make(), x, y, cv=5, method="predict_proba")[:, 1]
        p = make().fit(x, y).predict_proba(tx)[:, 1]
        log = lambda q: np.log(np.clip(q, 1e-9, 1 - 1e-9) / (1 - np.clip(q, 1e-9, 1 - 1e-9))).tolist()
        return {
            "seconds": time.perf_counter() - start,
            "given": (p > 0.5).astype(int).tolist(),
            "probability": p.tolist(),
            "score": log(p),
            "held": {"score": log(held), "y": y.tolist(), "group": group.tolist()},
        }
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    scale = StandardScaler().fit(x)
    x, tx = scale.transform(x), scale.transform(tx)
    if m["peer"] == "exponentiated":
        from fairlearn.reductions import DemographicParity, EqualizedOdds, ExponentiatedGradient

        moment = {"parity": DemographicParity, "odds": EqualizedOdds}[m["kind"]]
        learner = ExponentiatedGradient(
            LogisticRegression(max_iter=200), constraints=moment(difference_bound=m["bound"]), eps=m["bound"]
        ).fit(x, y, sensitive_features=group)
        given = learner.predict(tx, random_state=1)
    else:
        from fairlearn.postprocessing import ThresholdOptimizer

        learner = ThresholdOptimizer(
            estimator=LogisticRegression(max_iter=200),
            constraints={"parity": "demographic_parity", "odds": "equalized_odds"}[m["kind"]],
            predict_method="predict_proba",
        ).fit(x, y, sensitive_features=group)
        given = learner.predict(tx, sensitive_features=tgroup, random_state=1)
    return {"seconds": time.perf_counter() - start, "given": np.asarray(given).astype(int).tolist()}


for line in sys.stdin:
    try:
        answer = solve(json.loads(line))
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}"}
    print(json.dumps(answer), flush=True)
