import cooper
import pandas
import torch

rows = pandas.read_csv("train.csv")
x = torch.tensor(rows[["x1", "x2", "x3", "x4"]].to_numpy(), dtype=torch.float32)
y = torch.tensor(rows["y"].to_numpy(), dtype=torch.float32)
w, b = torch.nn.Parameter(torch.zeros(4)), torch.nn.Parameter(torch.zeros(1))


class Bounded(cooper.ConstrainedMinimizationProblem):
    def __init__(self):
        super().__init__()
        self.length = cooper.Constraint(
            constraint_type=cooper.ConstraintType.INEQUALITY,
            formulation_type=cooper.formulations.Lagrangian,
            multiplier=cooper.multipliers.DenseMultiplier(num_constraints=1),
        )

    def compute_cmp_state(self):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ w + b, y)
        length = cooper.ConstraintState(violation=(w**2).sum() - 1)
        return cooper.CMPState(loss=loss, observed_constraints={self.length: length})


problem = Bounded()
optimizer = cooper.optim.AlternatingDualPrimalOptimizer(
    cmp=problem,
    primal_optimizers=torch.optim.SGD([w, b], lr=0.5),
    dual_optimizers=torch.optim.SGD(problem.dual_parameters(), lr=0.05, maximize=True),
)
for _ in range(1000):
    optimizer.roll()

loss = problem.compute_cmp_state().loss.item()
print(f"loss {loss:.4f}, length {(w**2).sum().item():.4f}, multiplier {problem.length.multiplier().item():.4f}")
