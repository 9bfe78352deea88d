#!/usr/bin/env python3
"""Cooper and humancompatible-train on a small network: JSON lines on stdin, one JSON line answers each.

  {"library": "cooper" | "humancompatible", "train": CSV, "test": CSV, "kind": "misses" | "parity" | "odds", "level": 0.05,
   "hidden": 16, "decay": 0.001, "steps": 500, "rate": 0.01, "dual": 0.1}
  -> {"seconds", "loss": cross-entropy of the training rows, "train": {"rate", "error"}, "test": {…}}

Full batches, Adam on the network, rates as mean probabilities where a slope is needed. Cooper's multipliers follow the counted
rates (its strict violations); humancompatible-train has no such thing, and its ALM sees the mean probabilities.
"""
import json
import sys
import time

sys.path.append(sys.path.pop(0))  # packages come before the files of this folder

import torch
from rates import Rows, rates

torch.set_num_threads(1)


def network(features, hidden):
    torch.manual_seed(1)
    return torch.nn.Sequential(
        torch.nn.Linear(features, hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, 1), torch.nn.Flatten(0)
    )


class Problem:
    def __init__(self, m):
        self.m = m
        self.train = Rows(m["train"])
        self.test = Rows(m["test"], self.train)
        self.x, self.y = (torch.tensor(a, dtype=torch.float32) for a in (self.train.x, self.train.y))
        mask = lambda a: None if a is None else torch.tensor(a)
        self.parts = [(mask(a), mask(b), yes) for a, b, yes in self.train.parts(m["kind"])]
        self.model = network(self.x.shape[1], m["hidden"])
        self.primal = torch.optim.Adam(self.model.parameters(), lr=m["rate"])

    def objective(self, z):
        squares = sum((p**2).sum() for name, p in self.model.named_parameters() if name.endswith("weight"))
        return torch.nn.functional.binary_cross_entropy_with_logits(z, self.y) + self.m["decay"] * squares

    def excesses(self, chance):
        """By how much each rate of these chances is above its level."""
        share = lambda part, yes: (chance if yes else 1 - chance)[part].mean()
        found = [share(a, yes) - (0 if b is None else share(b, yes)) for a, b, yes in self.parts]
        return torch.stack(found) - self.m["level"]

    def seen(self):
        z = self.model(self.x)
        return self.objective(z), self.excesses(torch.sigmoid(z)), self.excesses((z > 0).float()).detach()

    @torch.no_grad()
    def answer(self, seconds):
        def on(rows):
            z = self.model(torch.tensor(rows.x, dtype=torch.float32))
            return rates(rows, self.m["kind"], (z > 0).double().numpy())

        loss = torch.nn.functional.binary_cross_entropy_with_logits(self.model(self.x), self.y)
        return {"seconds": seconds, "loss": loss.item(), "train": on(self.train), "test": on(self.test)}


def by_cooper(problem):
    import cooper

    class Stated(cooper.ConstrainedMinimizationProblem):
        def __init__(self):
            super().__init__()
            self.rates = cooper.Constraint(
                constraint_type=cooper.ConstraintType.INEQUALITY,
                formulation_type=cooper.formulations.Lagrangian,
                multiplier=cooper.multipliers.DenseMultiplier(num_constraints=len(problem.parts)),
            )

        def compute_cmp_state(self):
            loss, soft, counted = problem.seen()
            state = cooper.ConstraintState(violation=soft, strict_violation=counted)
            return cooper.CMPState(loss=loss, observed_constraints={self.rates: state})

    cmp = Stated()
    dual = torch.optim.SGD(cmp.dual_parameters(), lr=problem.m["dual"], maximize=True)
    optimizer = cooper.optim.AlternatingDualPrimalOptimizer(
        cmp=cmp, primal_optimizers=problem.primal, dual_optimizers=dual
    )
    for _ in range(problem.m["steps"]):
        optimizer.roll()


def by_humancompatible(problem):
    from humancompatible.train.dual_optim import ALM

    dual = ALM(m=len(problem.parts), lr=problem.m["dual"], is_ineq=True)
    for _ in range(problem.m["steps"]):
        loss, soft, _ = problem.seen()
        dual.forward_update(loss, soft).backward()
        problem.primal.step()
        problem.primal.zero_grad()


def solve(m):
    problem = Problem(m)
    start = time.perf_counter()
    {"cooper": by_cooper, "humancompatible": by_humancompatible}[m["library"]](problem)
    return problem.answer(time.perf_counter() - start)


for line in sys.stdin:
    try:
        answer = solve(json.loads(line))
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}"}
    print(json.dumps(answer), flush=True)
