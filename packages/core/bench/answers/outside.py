# The answers of outside.ts, from the data that `npm run bench -- answers --data` prints: node bench.mjs answers --data | python3 outside.py
import json
import sys

import cvxpy as cp
import numpy as np

data = {k: (np.array(v["X"]), np.array(v["y"])) for k, v in json.load(sys.stdin).items()}
found = {}


def say(name, problem, **requirements):
    """Minimises, and notes the sum of the prices of each requirement; the sign of an equality's is Pliant's."""
    for tolerance in [1e-12, 1e-10, 1e-8]:
        try:
            exact = dict.fromkeys(["tol_gap_abs", "tol_gap_rel", "tol_feas"], tolerance)
            problem.solve(solver="CLARABEL", **exact)
        except cp.SolverError:
            continue
        if problem.status == "optimal":
            break
    prices = {k: float(np.sum(c.dual_value)) for k, c in requirements.items()}
    found[name] = {"objective": float(problem.value), **({"prices": prices} if prices else {})}


def least(objective, **requirements):
    return cp.Problem(cp.Minimize(objective), list(requirements.values())), requirements


def solve(name, objective, states=None, **requirements):
    problem, all_of_them = least(objective, **requirements)
    say(name, problem, **{k: c for k, c in all_of_them.items() if states is None or k in states})


thirds = [np.arange(60) % 3 == k for k in range(3)]
X, y = data["quantile"]
w = cp.Variable(3)
r = y - X @ w
pinball = cp.sum(cp.maximum(0.7 * r, -0.3 * r)) / len(y)
solve("quantile regression", pinball)
solve("quantile regression below a mean", pinball, mean=cp.sum(X @ w) / len(y) <= -2)
solve("least absolute deviations", cp.sum(cp.abs(r)) / len(y))
X, y = data["lasso"]
w = cp.Variable(6)
mse = cp.sum_squares(X @ w - y) / len(y)
solve("lasso", mse + 0.5 * cp.norm1(w))
solve("L1 ball", mse, ball=cp.norm1(w) <= 1.5)
X, y = data["groups"]
w, t = cp.Variable(3), cp.Variable()
losses = [cp.sum_squares(X[g] @ w - y[g]) / 20 for g in thirds]
solve("worst of three groups", t, groups=cp.hstack(losses) - t <= 0)
u = cp.Variable(3, nonneg=True)
mse = cp.sum_squares(X @ w - y) / 60
problem = cp.Problem(cp.Minimize(mse + cp.sum_squares(u)), [cp.hstack(losses) - u <= np.array([0.9, 1, 1.1])])
say("minibatches with three groups", problem, groups=problem.constraints[0])
found["minibatches with three groups"]["objective"] = float(mse.value)
r = X @ w - y
solve("Huber equality", cp.sum(cp.huber(r)) / 120, sum=cp.sum(w) == 1)
X, y = data["labels"]
y = np.where(y > 0, 1, -1)
loss = cp.logistic(-cp.multiply(y, X @ w))
u = cp.Variable(3, nonneg=True)
each = cp.hstack([cp.sum(loss[g]) / 20 for g in thirds])
objective = cp.sum(loss) / 60
problem = cp.Problem(cp.Minimize(objective + cp.sum_squares(u)), [each - u <= np.array([0.45, 0.5, 0.55])])
say("logistic groups", problem, groups=problem.constraints[0])
found["logistic groups"]["objective"] = float(objective.value)
found["logistic groups"]["relaxations"] = {"groups": float(np.sum(u.value))}
X, y = data["counts"]
events = np.maximum(0, np.floor(np.exp(y / 2) + 0.5))
solve("Poisson", cp.sum(cp.exp(X @ w) - cp.multiply(events, X @ w)) / 40, sum=cp.sum(w) == 0.3)
X, y = data["margin"]
solve("hard margin", cp.sum_squares(w[:2]) / 2, margins=1 - cp.multiply(np.where(y > 0, 1, -1), X @ w) <= 0)
_, y = data["series"]
x = cp.Variable(len(y))
solve("isotonic", cp.sum_squares(x - y) / 2, rising=x[:-1] - x[1:] <= 0)
solve("smoothing", cp.sum_squares(x - y), bends=cp.sum_squares(x[2:] - 2 * x[1:-1] + x[:-2]) <= 1)
R = 1 + 0.1 * data["returns"][0][:, :3]
x = cp.Variable(3)
whole = cp.sum(x) == 1
solve("Kelly", -cp.sum(cp.log(R @ x)) / 8, whole=whole, signs=x >= 0)
centred = R - R.mean(0)
solve("risk", -cp.sum(R @ x) / 8, risk=cp.sum_squares(centred @ x) / 8 <= 1e-2, whole=whole)
C = np.abs(data["costs"][0][:3, :4])
P = cp.Variable((3, 4))
objective = cp.sum(cp.multiply(C, P)) - 0.1 * cp.sum(cp.entr(P))
to = np.array([0.25, 0.25, 0.4])
solve("entropic transport", objective, **{"from": cp.sum(P, 1) == np.array([0.2, 0.5, 0.3]), "to": cp.sum(P, 0)[:3] == to})
game = np.array([[0, 2, -1], [-1, 0, 3], [2, -1, 0]])
solve("game", t, plays=game @ x - t <= 0, whole=whole, signs=x >= 0)
D = data["points"][0][:6, :2]
p = cp.Variable(6)
design = cp.sum([p[i] * np.outer(D[i], D[i]) for i in range(6)])
solve("D-optimal", -cp.log_det(design), whole=cp.sum(p) == 1, signs=p >= 0)
Q = data["points"][0][:, :2]
A, b = cp.Variable((2, 2), symmetric=True), cp.Variable(2)
solve("ellipse", -cp.log_det(A), inside=cp.hstack([cp.sum_squares(A @ q + b) for q in Q]) <= 1)
c = cp.Variable(2)
solve("circle", t, inside=cp.hstack([cp.sum_squares(c - q) - t for q in Q]) <= 0)
# A global minimum of an indefinite quadratic on a ball: (Q + λ)x = −c with |x|² = 1 and Q + λ positive definite.
Q, c = np.array([[1, 0.5, 0], [0.5, -2, 0.3], [0, 0.3, 0.5]]), np.array([1, 0.2, -0.5])
low, high = -np.linalg.eigvalsh(Q)[0], 10.0
for _ in range(200):
    middle = (low + high) / 2
    x = -np.linalg.solve(Q + middle * np.eye(3), c)
    low, high = (middle, high) if x @ x > 1 else (low, middle)
found["trust region"] = {"objective": 0.5 * x @ Q @ x + c @ x, "prices": {"ball": middle / 2}}
# ½‖UVᵀ − M‖² + ¼(‖U‖² + ‖V‖²): each singular value s becomes s − ½, of the two largest.
s = np.linalg.svd(np.array([[3, 1, 0], [1, 2, 0.5], [0, 0.5, 1]]))[1]
found["matrix"] = {"objective": float(sum(0.5 * 0.25 + 0.5 * (v - 0.5) for v in s[:2]) + 0.5 * s[2] ** 2)}
print(json.dumps(found, indent=2))
