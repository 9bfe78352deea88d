// Quadratic and linear programmes made from their answers: parameters, active requirements and prices are drawn, and the objective is
// chosen so that they satisfy the KKT conditions. So every number is exact, in any units.
import { atMost, type Cost, equals, linear, maximum, minimise, quadratic } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import { array, type Case, type Dtype, dot, drawing, times, transposed } from "./problem.js";

interface Programme {
  readonly name: string;
  readonly family: string;
  readonly seed: number;
  readonly n: number;
  readonly m: number;
  /** 0 for a linear programme. */
  readonly curvature?: number;
  /** How many requirements are active; equalities come first among them. */
  readonly active: number;
  readonly equalities?: number;
  /** What gives way, and at what cost; all hard unless given. */
  readonly cost?: { readonly kind: "quadratic" | "linear" | "power"; readonly weight: number };
  /** Units of single parameters, of all parameters, of rows and of the objective: exponents of 10. */
  readonly spread?: number;
  readonly rows?: number;
  readonly unit?: number;
  readonly objectiveUnit?: number;
  readonly constant?: number;
  /** The last requirement repeats the first. */
  readonly duplicate?: boolean;
  readonly dtype?: Dtype;
  readonly start?: number;
}

export function programme({
  name,
  family,
  seed,
  n,
  m,
  curvature = 1,
  active,
  equalities = 0,
  cost,
  spread = 0,
  rows = 0,
  unit = 0,
  objectiveUnit = 0,
  constant = 0,
  duplicate = false,
  dtype = "float64",
  start = 0,
}: Programme): Case {
  const { uniform, normals, matrix } = drawing(seed);
  const B = matrix(n, n);
  const units = Array.from({ length: n }, () => 10 ** (unit + uniform(-spread / 2, spread / 2)));
  const rowUnits = Array.from({ length: m }, () => 10 ** uniform(-rows / 2, rows / 2));
  const scale = 10 ** objectiveUnit;
  // In natural units θ is of size 1; parameters are θ·unit.
  const Q = B.map((x, i) =>
    B.map((y, j) => (scale * curvature * (dot(x, y) / n + (i === j ? 0.1 : 0))) / (units[i] * units[j])),
  );
  const A = matrix(m, n).map((row, i) => row.map((x, j) => (x * rowUnits[i]) / (units[j] * Math.sqrt(n))));
  if (duplicate) A[m - 1] = A[0].map((x) => 2 * x);
  const theta = normals(n).map((x, j) => x * units[j]);
  const prices = Array.from({ length: m }, (_, i) =>
    i < active ? (scale * uniform(0.3, 2)) / rowUnits[i] : 0,
  );
  for (let i = 0; i < equalities; i++) if (uniform() < 0.5) prices[i] *= -1;
  if (duplicate) prices[m - 1] = 0;
  const price = (i: number): number => prices[i];
  const alpha = (cost?.weight ?? 1) * scale;
  /** In units of the row, so that giving way is of natural size. */
  const relaxed = prices.map((p, i) => {
    if (!cost || p === 0) return 0;
    if (cost.kind === "quadratic") return Math.abs(p) / (2 * (alpha / rowUnits[i] ** 2));
    return 0;
  });
  const reached = times(A, theta);
  const b = reached.map((x, i) => {
    if (duplicate && i === m - 1) return 2 * (reached[0] - relaxed[0]);
    if (i < active) return x - relaxed[i] * (prices[i] < 0 ? -1 : 1);
    return x + rowUnits[i] * uniform(0.3, 1);
  });
  const pull = times(transposed(A), prices);
  const c = times(Q, theta).map((x, j) => -x - pull[j]);
  const objective = 0.5 * dot(theta, times(Q, theta)) + dot(c, theta) + constant * scale;
  const row = (i: number) => (x: Tensor, d: Record<string, Tensor>) =>
    d.A.slice([[i, i + 1]])
      .mul(x)
      .sum();
  const costOf = (i: number): { cost?: Cost; hard?: boolean } =>
    cost?.kind === "quadratic" ? { cost: quadratic(alpha / rowUnits[i] ** 2) } : { hard: true };
  const requirements = Object.fromEntries(
    A.map((_, i) => [
      `r${i}`,
      i < equalities ? equals(b[i], row(i), costOf(i)) : atMost(b[i], row(i), costOf(i)),
    ]),
  );
  const together = duplicate ? ["r0", `r${m - 1}`] : [];
  const task = minimise({
    params: {
      x: array(
        theta.map((x, j) => start * units[j] * (1 + 0 * x)),
        dtype,
      ),
    },
    forward: ({ x }: { x: Tensor }, _: Record<string, Tensor>) => x,
    objective: (x: Tensor, d: Record<string, Tensor>) =>
      d.Q.matmul(x.reshape([n, 1]))
        .reshape([n])
        .mul(x)
        .sum()
        .mul(0.5)
        .add(d.c.mul(x).sum())
        .add(constant * scale),
  }).subjectTo(requirements as never);
  const named = (of: (i: number) => number): Record<string, number> =>
    Object.fromEntries(A.map((_, i) => [`r${i}`, of(i)] as const).filter(([key]) => !together.includes(key)));
  return {
    name,
    family,
    task: task as never,
    data: { Q: array(Q, dtype), c: array(c, dtype), A: array(A, dtype) },
    answer: {
      objective,
      prices: named(price),
      relaxations: named((i) => relaxed[i]),
      ...(together.length > 0 && { together }),
    },
  };
}

/** One requirement with a level for each element, all in one vector, in units of their own. */
export function vectorProgramme(
  name: string,
  seed: number,
  cost: "hard" | "linear" | "maximum",
  rows: number,
): Case {
  const { uniform, normals, matrix } = drawing(seed);
  const [n, m, active] = [6, 5, 3];
  const A = matrix(m, n);
  const rowUnits = Array.from({ length: m }, () => 10 ** uniform(-rows / 2, rows / 2));
  const theta = normals(n);
  // At linear cost prices below γ give nothing way; at γ any relaxation is optimal. The prices of a maximum add up to its weight.
  const gamma = 2;
  const raw = Array.from({ length: m }, (_, i) => (i < active ? uniform(0.3, 1) : 0));
  const total = raw.reduce((a, x) => a + x, 0);
  const prices = raw.map((p, i) =>
    cost === "maximum" ? (p / total) * gamma : cost === "linear" && i === 0 ? gamma : p / rowUnits[i],
  );
  const gave: number[] = raw.map((_, i) =>
    cost === "linear" && i === 0 ? 0.7 : cost === "maximum" && i < active ? 0.4 : 0,
  );
  const scaled = A.map((row, i) => row.map((x) => x * (cost === "hard" ? rowUnits[i] : 1)));
  const b = times(scaled, theta).map((x, i) =>
    i < active ? x - gave[i] : x + uniform(0.3, 1) * (cost === "hard" ? rowUnits[i] : 1),
  );
  const pull = times(transposed(scaled), prices);
  const c = theta.map((x, j) => -x - pull[j]);
  const how = cost === "hard" ? { hard: true } : { cost: cost === "linear" ? linear(gamma) : maximum(gamma) };
  const task = minimise({
    params: { x: array(new Array(n).fill(0), "float64") },
    forward: ({ x }: { x: Tensor }, _: Record<string, Tensor>) => x,
    objective: (x: Tensor, d: Record<string, Tensor>) => x.mul(x).sum().mul(0.5).add(d.c.mul(x).sum()),
  }).subjectTo({
    rows: atMost(
      b,
      (x: Tensor, d: Record<string, Tensor>) => d.A.matmul(x.reshape([n, 1])).reshape([m]),
      how,
    ),
  });
  return {
    name,
    family: `vector, ${cost}`,
    task: task as never,
    data: { A: array(scaled, "float64"), c: array(c, "float64") },
    answer: {
      objective: 0.5 * dot(theta, theta) + dot(c, theta),
      prices: { rows: prices.reduce((a, x) => a + x, 0) },
      relaxations: { rows: gave.reduce((a, x) => a + x, 0) },
    },
  };
}

export function programmes(): Case[] {
  const base = { n: 6, m: 6, active: 3 };
  const all: Case[] = [];
  for (const [k, units] of [-5, -3, 0, 3, 5].entries()) {
    all.push(
      programme({
        ...base,
        name: `QP, parameters in 1e${units}`,
        family: "QP units",
        seed: 10 + k,
        unit: units,
      }),
    );
    all.push(
      programme({
        ...base,
        name: `QP, objective in 1e${units}`,
        family: "QP units",
        seed: 20 + k,
        objectiveUnit: units,
      }),
    );
  }
  for (const seed of [31, 32, 33])
    all.push(
      programme({
        ...base,
        name: `QP, parameters spread over 1e8 (${seed})`,
        family: "QP spread",
        seed,
        spread: 8,
      }),
    );
  for (const seed of [41, 42, 43])
    all.push(programme({ ...base, name: `QP, rows over 1e6 (${seed})`, family: "QP rows", seed, rows: 6 }));
  all.push(programme({ ...base, name: "QP beside 1e6", family: "QP constant", seed: 44, constant: 1e6 }));
  all.push(programme({ ...base, name: "QP, float32", family: "QP float32", seed: 45, dtype: "float32" }));
  all.push(
    programme({
      n: 40,
      m: 60,
      active: 20,
      name: "QP, 40 × 60, float32",
      family: "QP float32",
      seed: 46,
      dtype: "float32",
    }),
  );
  all.push(programme({ n: 150, m: 40, active: 15, name: "QP, 150 × 40", family: "QP large", seed: 47 }));
  all.push(
    programme({
      n: 400,
      m: 20,
      active: 8,
      name: "QP, 400 × 20, float32",
      family: "QP large",
      seed: 48,
      dtype: "float32",
    }),
  );
  for (const [k, equalities] of [1, 2, 3].entries())
    all.push(
      programme({
        ...base,
        equalities,
        name: `QP, ${equalities} equalities`,
        family: "QP equalities",
        seed: 50 + k,
      }),
    );
  for (const seed of [61, 62, 63])
    all.push(
      programme({
        ...base,
        cost: { kind: "quadratic", weight: 1 },
        name: `QP that gives way (${seed})`,
        family: "QP resilient",
        seed,
      }),
    );
  all.push(
    programme({
      ...base,
      cost: { kind: "quadratic", weight: 1 },
      rows: 6,
      name: "QP that gives way, rows over 1e6",
      family: "QP resilient",
      seed: 64,
    }),
  );
  all.push(
    programme({
      ...base,
      cost: { kind: "quadratic", weight: 1 },
      equalities: 2,
      name: "equalities that give way",
      family: "QP resilient",
      seed: 65,
    }),
  );
  all.push(
    programme({ ...base, duplicate: true, name: "QP with a duplicate", family: "QP duplicate", seed: 66 }),
  );
  all.push(programme({ ...base, start: 1e6, name: "QP from 1e6 away", family: "QP far start", seed: 67 }));
  all.push(
    programme({
      ...base,
      start: 1e3,
      unit: -4,
      name: "QP in 1e-4 from 1e3 units away",
      family: "QP far start",
      seed: 68,
    }),
  );
  for (const [seed, n] of [
    [71, 2],
    [72, 4],
    [73, 8],
    [74, 20],
  ] as const)
    all.push(
      programme({ n, m: n + 4, active: n, curvature: 0, name: `LP, ${n} × ${n + 4}`, family: "LP", seed }),
    );
  all.push(
    programme({
      n: 5,
      m: 9,
      active: 5,
      curvature: 0,
      rows: 4,
      name: "LP, rows over 1e4",
      family: "LP",
      seed: 75,
    }),
  );
  all.push(
    programme({ n: 5, m: 9, active: 5, curvature: 0, unit: 4, name: "LP in 1e4", family: "LP", seed: 76 }),
  );
  all.push(
    programme({
      n: 5,
      m: 9,
      active: 5,
      curvature: 0,
      objectiveUnit: -4,
      name: "LP, objective in 1e-4",
      family: "LP",
      seed: 77,
    }),
  );
  all.push(vectorProgramme("levels from 1e-3 to 1e3 in one vector", 81, "hard", 6));
  all.push(vectorProgramme("linear costs", 82, "linear", 0));
  all.push(vectorProgramme("the largest relaxation costs", 83, "maximum", 0));
  return all;
}
