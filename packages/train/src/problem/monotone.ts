// Requirements that an answer rises or falls with a column, and must hold: a network can be built so that it does, at every row there may
// ever be. So it is for a number and for two classes; of more classes a probability follows from all scores, and it is trained.
import type { InputError } from "@pliant/core";
import type { Prepared, Target } from "../data/examples.js";
import type { Spec } from "../spec/spec.js";
import type { Stated } from "./stated.js";

/** By feature: 1 where the number, or the score of the second class, rises with it, −1 where it falls. */
export type Monotone = readonly (readonly [feature: number, sign: 1 | -1])[];

export function monotoneFor(
  { model }: Pick<Spec, "model">,
  stated: readonly Stated[],
  { target, numeric, images }: Prepared,
  mistake: (path: readonly string[], sentence: string) => InputError,
): Monotone | undefined {
  const many = target.kind === "class" && target.classes.length > 2;
  if (many || images || model.kind === "lenet") return undefined;
  const found = new Map<number, 1 | -1>();
  for (const { of, spec, hard } of stated) {
    if (spec.metric !== "monotonicity" || !hard) continue;
    const rises = spec.direction === "increasing" ? 1 : -1;
    const sign = (isFirst(spec.class, target) ? -rises : rises) as 1 | -1;
    const feature = numeric.get(spec.column)!;
    if (found.has(feature) && found.get(feature) !== sign)
      throw mistake(
        ["requirements", of, "direction"],
        `requirements.${of}.direction: another requirement that must hold says the opposite of ${spec.column}.`,
      );
    found.set(feature, sign);
  }
  return found.size > 0 ? [...found] : undefined;
}

/** Whether it is about the first of two classes, whose probability falls where the score rises. */
const isFirst = (name: string | undefined, target: Target): boolean =>
  target.kind === "class" &&
  (name === undefined ? target.positive === 0 : target.classes.indexOf(name) === 0);
