// The model a spec names, with as many inputs and outputs as the data asks for.
import { pad, type random, type Tensor } from "@pliant/engine";
import { keyed, lenet, type Model, mlp, type Params, type Traced } from "@pliant/learn";
import type { InputError } from "pliant";
import type { Target } from "../data/examples.js";
import type { Spec } from "../spec/spec.js";

export interface Predictor {
  init(key: random.Key): Params;
  /** [N, K] for K classes, of which the first of two is 0; [N] for a number. */
  logits(params: Traced<Params>, x: Tensor): Tensor;
  /** Of two classes: the logit of the second, [N]. */
  score?(params: Traced<Params>, x: Tensor): Tensor;
}

interface Inputs {
  readonly target: Target;
  /** Of one example. */
  readonly shape: readonly number[];
}

/** Of sums s in deviations of the target: s itself, or where the mean times e^s is the answer, that. */
function linked(sums: Tensor, { link, mean, deviation }: Extract<Target, { kind: "number" }>): Tensor {
  return link === "log"
    ? sums
        .exp()
        .sub(1)
        .mul(mean / deviation)
    : sums;
}

export function predictorFor(
  model: Spec["model"],
  { target, shape }: Inputs,
  mistake: (path: readonly string[], sentence: string) => InputError,
): Predictor {
  const outputs = target.kind === "class" && target.classes.length > 2 ? target.classes.length : 1;
  const inputs = shape.reduce((a, b) => a * b, 1);
  const network = (): Model<Params> => {
    if (model.kind === "linear") return mlp({ inputs, hidden: [], outputs });
    if (model.kind === "mlp")
      return mlp({ inputs, hidden: model.hidden, outputs, activation: model.activation });
    if (shape.join() !== "1,28,28")
      throw mistake(
        ["model", "kind"],
        `model.kind: lenet is for grey images of 28×28 pixels; take linear or mlp for ${shape.length === 1 ? "columns" : `images of ${shape.join("×")}`}.`,
      );
    return lenet({ outputs });
  };
  const { init, apply } = network();
  const single = (params: Traced<Params>, x: Tensor): Tensor => apply(params, x).reshape([x.shape[0]]);
  return {
    init: (key) => init(keyed(key)),
    ...(target.kind === "class" && outputs === 1 && { score: single }),
    logits: (params, x) => {
      if (outputs > 1) return apply(params, x);
      if (target.kind === "number") return linked(single(params, x), target);
      return pad(apply(params, x), [
        [0, 0],
        [1, 0],
      ]);
    },
  };
}
