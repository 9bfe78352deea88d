// npm run bench -- answers --fuzz COUNT [--seed N]: random problems made from their answers, judged as the others are. What is wanted is a
// certificate that is wrong: of a point, or of one nearby.
import { atMost, minimise } from "@pliant/core";
import { matmul, type Tensor } from "@pliant/engine";
import { type Judged, judge } from "./judge.js";
import { array, type Case, type Dtype, dot, drawing, times, transposed } from "./problem.js";
import { programme, vectorProgramme } from "./programmes.js";

type Data = Record<string, Tensor>;

/** Logistic regression with a decay, a linear term that makes θ optimal, and losses of groups at most what they are at θ. */
function logistic(name: string, seed: number, dtype: Dtype): Case {
  const { uniform, normals, matrix } = drawing(seed);
  const [n, k] = [30, 1 + Math.floor(uniform(1, 5))];
  // No more than there are parameters, or their prices are not determined.
  const groups = 1 + Math.floor(uniform(0, Math.min(4, k)));
  const units = Array.from({ length: k }, () => 10 ** uniform(-2, 2));
  const X = matrix(n, k).map((row) => row.map((x, j) => x * units[j]));
  const theta = normals(k).map((x, j) => x / units[j]);
  const y = times(X, normals(k)).map((v) => (v + uniform(-1, 1) > 0 ? 1 : -1));
  const decay = 10 ** uniform(-3, 0);
  const members = Array.from({ length: groups }, (_, g) =>
    Array.from({ length: n }, (_, i) => (i % groups === g ? groups / n : 0)),
  );
  const answers = times(X, theta).map((v, i) => v * y[i]);
  const losses = answers.map((v) => Math.log1p(Math.exp(-v)));
  const slopes = answers.map((v, i) => -y[i] / (1 + Math.exp(v)));
  const prices = members.map(() => (uniform() < 0.7 ? uniform(0.1, 2) : 0));
  const weights = losses.map(
    (_, i) =>
      1 / n +
      dot(
        prices,
        members.map((g) => g[i]),
      ),
  );
  const pull = times(
    transposed(X),
    slopes.map((s, i) => s * weights[i]),
  );
  const squares = theta.map((x, j) => decay * units[j] ** 2 * x);
  const c = pull.map((p, j) => -p - squares[j]);
  const levels = members.map((g, i) => dot(g, losses) + (prices[i] > 0 ? 0 : uniform(0.1, 1)));
  const scale = units.map((u) => decay * u ** 2);
  const task = minimise({
    params: { w: array(new Array(k).fill(0), dtype) },
    forward: ({ w }: { w: Tensor }, d: Data) => ({
      w,
      losses: matmul(d.X, w.reshape([k, 1]))
        .reshape([n])
        .mul(d.y)
        .neg()
        .softplus(),
    }),
    objective: ({ w, losses: l }: { w: Tensor; losses: Tensor }, d: Data) =>
      l.mean().add(w.mul(d.c).sum()).add(w.mul(w).mul(d.scale).sum().mul(0.5)),
  }).subjectTo({
    groups: atMost(
      levels,
      ({ losses: l }: { losses: Tensor }, d: Data) => matmul(d.members, l.reshape([n, 1])).reshape([groups]),
      { hard: true },
    ),
  });
  return {
    name,
    family: "logistic",
    task: task as never,
    data: {
      X: array(X, dtype),
      y: array(y, dtype),
      c: array(c, dtype),
      scale: array(scale, dtype),
      members: array(members, dtype),
    },
    answer: {
      objective: losses.reduce((a, b) => a + b) / n + dot(c, theta) + 0.5 * dot(squares, theta),
      prices: { groups: prices.reduce((a, b) => a + b) },
    },
    size: losses.reduce((a, b) => a + b) / n,
  };
}

export function drawn(seed: number): Case {
  const { uniform } = drawing(seed);
  const whole = (low: number, high: number): number => Math.floor(uniform(low, high + 1));
  const kind = uniform();
  const dtype: Dtype = uniform() < 0.3 ? "float32" : "float64";
  if (kind < 0.3) return logistic(`logistic ${seed}, ${dtype}`, seed, dtype);
  if (kind < 0.4) {
    const cost = (["hard", "linear", "maximum"] as const)[whole(0, 2)];
    return vectorProgramme(`vector ${seed}, ${cost}`, seed, cost, cost === "hard" ? uniform(0, 6) : 0);
  }
  const n = whole(1, 12);
  const isLinear = kind > 0.85;
  const m = whole(isLinear ? n : 1, n + 6);
  const active = isLinear ? n : whole(0, Math.min(n, m));
  const single = dtype === "float32";
  const gives = !isLinear && uniform() < 0.3;
  return programme({
    name: `${isLinear ? "LP" : "QP"} ${seed}, ${dtype}`,
    family: isLinear ? "LP" : "QP",
    seed,
    n,
    m: Math.max(m, active),
    active,
    curvature: isLinear ? 0 : 10 ** uniform(-2, 2),
    equalities: uniform() < 0.3 ? whole(0, active) : 0,
    cost: gives ? { kind: "quadratic", weight: 10 ** uniform(-1, 1) } : undefined,
    spread: single ? 0 : uniform(0, 8),
    rows: single ? uniform(0, 2) : uniform(0, 6),
    unit: single ? 0 : uniform(-5, 5),
    objectiveUnit: single ? 0 : uniform(-5, 5),
    constant: uniform() < 0.2 ? 10 ** uniform(0, single ? 1 : 4) : 0,
    duplicate: active > 1 && m > active && !gives && uniform() < 0.15,
    dtype,
    start: uniform() < 0.3 ? 10 ** uniform(-1, 3) : 0,
  });
}

export async function fuzzed(count: number, seed: number) {
  const found: Judged[] = [];
  const told: string[] = [];
  const tell = (line: string): void => {
    told.push(line);
    console.error(line);
  };
  for (let i = 0; i < count; i++) {
    if (i % 100 === 99) console.error(`${i + 1} of ${count}`);
    const judged = await judge(drawn(seed * 1_000_000 + i), 200);
    found.push(judged);
    if (judged.verdict === "certified wrong" || judged.perturbed.wrong > 0 || judged.verdict === "not solved")
      tell(
        `${judged.verdict}: ${judged.name}, ${judged.worst} of ${judged.of}; ${judged.perturbed.wrong} nearby; ${judged.short.join("; ")}`,
      );
  }
  const numberOf = (verdict: Judged["verdict"]): number => found.filter((f) => f.verdict === verdict).length;
  return {
    problems: count,
    certifiedRight: numberOf("certified right"),
    certifiedWrong: numberOf("certified wrong"),
    solvedUncertified: numberOf("solved, not certified"),
    notSolved: numberOf("not solved"),
    perturbed: {
      points: found.reduce((sum, { perturbed }) => sum + perturbed.points, 0),
      certified: found.reduce((sum, { perturbed }) => sum + perturbed.certified, 0),
      wrong: found.reduce((sum, { perturbed }) => sum + perturbed.wrong, 0),
    },
    told,
  };
}
