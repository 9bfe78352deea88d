#!/usr/bin/env python3
"""The Cooper peer of the solver benchmark, driven by JSON lines on stdin; one JSON line answers each.

  {"Q":[[…]], "c":[…], "A":[[…]], "b":[…], "primal":0.2, "dual":0.5, "gain":1, "tolerance":1e-6, "limit":5000, "every":10}
  -> {"iterations":…, "seconds":…, "converged":…, "residuals":{"stationarity":…, "feasibility":…, "complementarity":…},
      "halfway": largest multiplier after half the limit, or null, "theta":[…], "multipliers":[…]}

min ½θᵀQθ + cᵀθ where Aθ ≤ b, in float64 from zeros, as Cooper's documentation recommends: AlternatingDualPrimalOptimizer, SGD
on θ, and on the multipliers SGD (gain 0) or nuPI with the proportional gain Kp = gain and Ki = 1. Every so many iterations the
residuals are looked at, as Pliant looks at its certificate; both are within the seconds. Numbers that are not finite are null.
"""
import json
import math
import sys
import time

sys.path.pop(0)  # the folder of this file, which has the name of the package

import cooper
import torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)  # the fastest for matrices this small


class Quadratic(cooper.ConstrainedMinimizationProblem):
    def __init__(self, theta, Q, c, A, b):
        super().__init__()
        self.theta, self.Q, self.c, self.A, self.b = theta, Q, c, A, b
        self.rows = cooper.Constraint(
            constraint_type=cooper.ConstraintType.INEQUALITY,
            formulation_type=cooper.formulations.Lagrangian,
            multiplier=cooper.multipliers.DenseMultiplier(num_constraints=len(b), dtype=torch.float64),
        )

    def compute_cmp_state(self):
        theta = self.theta
        loss = theta @ (0.5 * (self.Q @ theta) + self.c)
        state = cooper.ConstraintState(violation=self.A @ theta - self.b)
        return cooper.CMPState(loss=loss, observed_constraints={self.rows: state})

    @torch.no_grad()
    def residuals(self):
        """Largest entries, as in Pliant's certificate."""
        over, price = self.A @ self.theta - self.b, self.rows.multiplier.weight
        return {
            "stationarity": (self.Q @ self.theta + self.c + self.A.T @ price).abs().max().item(),
            "feasibility": over.relu().max().item(),
            "complementarity": (price * over).abs().max().item(),
        }


def solve(m):
    Q, c, A, b = (torch.tensor(m[name]) for name in "QcAb")
    limit, every, tolerance = m["limit"], m["every"], m["tolerance"]
    start = time.perf_counter()
    theta = torch.nn.Parameter(torch.zeros(len(c)))
    cmp = Quadratic(theta, Q, c, A, b)
    if m["gain"]:
        dual = cooper.optim.nuPI(cmp.dual_parameters(), lr=m["dual"], Kp=m["gain"], Ki=1.0, maximize=True)
    else:
        dual = torch.optim.SGD(cmp.dual_parameters(), lr=m["dual"], maximize=True)
    optimizer = cooper.optim.AlternatingDualPrimalOptimizer(
        cmp=cmp, primal_optimizers=torch.optim.SGD([theta], lr=m["primal"]), dual_optimizers=dual
    )
    iterations, halfway, worst, found = 0, None, math.inf, cmp.residuals()
    while iterations < limit:
        for _ in range(min(every, limit - iterations)):
            optimizer.roll()
            iterations += 1
        found = cmp.residuals()
        worst = max(found.values())
        if worst <= tolerance or not all(map(math.isfinite, found.values())):
            break
        if halfway is None and iterations >= limit / 2:
            halfway = cmp.rows.multiplier.weight.max().item()
    return {
        "iterations": iterations,
        "seconds": time.perf_counter() - start,
        "converged": worst <= tolerance,
        "residuals": found,
        "halfway": halfway,
        "theta": theta.tolist(),
        "multipliers": cmp.rows.multiplier.weight.tolist(),
    }


def finite(x):
    """JSON knows no infinity."""
    if isinstance(x, dict):
        return {k: finite(v) for k, v in x.items()}
    if isinstance(x, list):
        return [finite(v) for v in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x


for line in sys.stdin:
    if not line.strip():
        continue
    try:
        answer = finite(solve(json.loads(line)))
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}"}
    print(json.dumps(answer), flush=True)
