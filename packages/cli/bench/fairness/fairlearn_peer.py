#!/usr/bin/env python3
"""The Fairlearn peer of the fairness benchmark: JSON lines on stdin, one JSON line answers each.

  {"train": CSV, "test": CSV, "kind": "parity" | "odds", "bound": 0.02}
  -> {"seconds": of fit alone, "models": how many the answer is drawn from, "train": {"rate", "error"}, "test": {…}}

ExponentiatedGradient over LogisticRegression with its own defaults. Its answer is drawn at random from several models; rates and
errors here are the expected ones, so no draw flatters or harms it.
"""
import json
import sys
import time
import warnings

import numpy as np
from fairlearn.reductions import DemographicParity, EqualizedOdds, ExponentiatedGradient
from sklearn.linear_model import LogisticRegression

from rates import Rows, rates

warnings.filterwarnings("ignore")


def solve(m):
    train = Rows(m["train"])
    test = Rows(m["test"], train)
    moment = {"parity": DemographicParity, "odds": EqualizedOdds}[m["kind"]]
    learner = ExponentiatedGradient(
        LogisticRegression(), constraints=moment(difference_bound=m["bound"]), eps=m["bound"]
    )
    start = time.perf_counter()
    learner.fit(train.x, train.y, sensitive_features=train.group)
    seconds = time.perf_counter() - start
    chance = lambda rows: np.asarray(learner._pmf_predict(rows.x))[:, 1]
    return {
        "seconds": seconds,
        "models": int((learner.weights_ > 0).sum()),
        "train": rates(train, m["kind"], chance(train)),
        "test": rates(test, m["kind"], chance(test)),
    }


for line in sys.stdin:
    try:
        answer = solve(json.loads(line))
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}"}
    print(json.dumps(answer), flush=True)
