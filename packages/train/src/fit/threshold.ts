// The last step for a single hard rate: an equilibrium determines it only up to one example, and moving the threshold meets it exactly,
// on the rows where the rate is counted. The threshold is the bias of the last layer, so the model has it wherever it goes.

import type { Report } from "@pliant/core";
import { type Backend, compile, NdArray, type Tensor } from "@pliant/engine";
import type { Params, Traced } from "@pliant/learn";
import type { Examples, Prepared } from "../data/examples.js";
import { underOf } from "../problem/disturb.js";
import type { Task } from "../problem/problem.js";
import { membersOf, type Stated } from "../problem/stated.js";

/** The one requirement of a task, where it is a rate of two classes that must hold and nothing else is asked. */
export function singleRate(
  { stated }: Task,
  { target }: Prepared,
  { requirements }: Report<string>,
): Stated | undefined {
  const asked = stated.filter(({ name }) => requirements[name].cost !== "free");
  const [only] = asked;
  const twoClasses = target.kind === "class" && target.classes.length === 2;
  if (asked.length !== 1 || !twoClasses || !only.hard || only.base || only.worst || underOf(only.spec))
    return undefined;
  const binds = requirements[only.name].price > 0 || requirements[only.name].status === "violated";
  return binds && only.metric.classOf !== undefined ? only : undefined;
}

/**
 * How far the score of a class must be raised for just so many of these examples to be given it: between the two scores that part
 * them. Where scores are equal there, on the side that `no more` or no fewer says.
 */
export function shiftFor(scores: readonly number[], given: number, bound: "no more" | "no fewer"): number {
  const sorted = [...scores].sort((a, b) => b - a);
  const step = bound === "no more" ? -1 : 1;
  let count = given;
  while (count > 0 && count < sorted.length && sorted[count - 1] === sorted[count]) count += step;
  if (count <= 0) return -sorted[0] - 1e-3;
  if (count >= sorted.length) return -sorted[sorted.length - 1] + 1e-3;
  return -(sorted[count - 1] + sorted[count]) / 2;
}

/** The parameters with the threshold at the level, and how far it went; undefined where it is there already. */
export async function movedThreshold(
  task: Task,
  only: Stated,
  { params, examples, backend }: { params: Params; examples: Examples; backend: Backend },
): Promise<{ params: Params; by: number } | undefined> {
  const { classOf: k, counts } = only.metric as { classOf: number; counts: "given" | "not given" };
  const score = compile(
    (weights: Traced<Params>, x: Tensor, y: Tensor) =>
      task
        .looks(weights, { x, y, disturbed: {}, members: {} })
        .clean.logits.slice([[], [1, 2]])
        .reshape([x.shape[0]]),
    { backend },
  );
  const { data } = await (await score(params as never, examples.x, examples.y)).read();
  const sign = k === 1 ? 1 : -1;
  const { own } = membersOf(only, examples);
  const scores = Array.from(data, (z) => sign * z).filter((_, i) => own[i] === 1);
  const n = scores.length;
  const level = only.level as number;
  const most = only.sense === "at most";
  const counted = most ? Math.floor(level * n + 1e-9) : Math.ceil(level * n - 1e-9);
  const given = counts === "given" ? counted : n - counted;
  if (given < 0 || given > n || scores.filter((s) => s > 0).length === given) return undefined;
  const by = shiftFor(scores, given, most === (counts === "given") ? "no more" : "no fewer");
  return { params: withBias(params, sign * by), by };
}

function withBias(params: Params, by: number): Params {
  const last = params[params.length - 1];
  const bias = new NdArray((last.bias as NdArray).data.map((b) => b + by) as Float32Array, last.bias.shape);
  return [...params.slice(0, -1), { ...last, bias }] as Params;
}
