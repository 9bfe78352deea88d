// The model a spec names, with as many inputs and outputs as the data asks for.

import type { InputError } from "@pliant/core";
import type { Encoding } from "@pliant/data";
import { pad, type random, type Tensor } from "@pliant/engine";
import {
  keyed,
  lenet,
  type Model,
  mlp,
  type Params,
  type Tabular,
  type Traced,
  tabular,
} from "@pliant/learn";
import { embeddedFeatures } from "../data/embedded.js";
import type { Target } from "../data/examples.js";
import type { Spec } from "../spec/spec.js";
import type { Monotone } from "./monotone.js";

export interface Predictor {
  init(key: random.Key): Params;
  /** [N, K] for K classes, of which the first of two is 0; [N] for a number. The key is that of a training step, for dropout. */
  logits(params: Traced<Params>, x: Tensor, key?: Tensor): Tensor;
  /** For two classes: the logit of the second, [N]. */
  score?(params: Traced<Params>, x: Tensor, key?: Tensor): Tensor;
  /** Those of all layers, as they are applied. */
  weights(params: Traced<Params>): Tensor[];
}

interface Inputs {
  readonly target: Target;
  /** For one example. */
  readonly shape: readonly number[];
  /** For columns: how features come from a row. */
  readonly encoding?: Encoding;
  /** The features that the answer rises or falls with, by construction. */
  readonly monotone?: Monotone;
}

type Mistake = (path: readonly string[], sentence: string) => InputError;

/** For sums s in deviations of the target: s itself, or where the mean times e^s is the answer, that. */
function linked(sums: Tensor, { link, mean, deviation }: Extract<Target, { kind: "number" }>): Tensor {
  return link === "log"
    ? sums
        .exp()
        .sub(1)
        .mul(mean / deviation)
    : sums;
}

export function predictorFor(model: Spec["model"], inputs: Inputs, mistake: Mistake): Predictor {
  const { target } = inputs;
  const outputs = target.kind === "class" && target.classes.length > 2 ? target.classes.length : 1;
  const { init, apply, weights } = networkFor(model, outputs, inputs, mistake);
  const single = (params: Traced<Params>, x: Tensor, key?: Tensor): Tensor =>
    apply(params, x, key).reshape([x.shape[0]]);
  return {
    init: (key) => init(keyed(key)),
    weights,
    ...(target.kind === "class" && outputs === 1 && { score: single }),
    logits: (params, x, key) => {
      if (outputs > 1) return apply(params, x, key);
      if (target.kind === "number") return linked(single(params, x, key), target);
      return pad(apply(params, x, key), [
        [0, 0],
        [1, 0],
      ]);
    },
  };
}

function networkFor(
  model: Spec["model"],
  outputs: number,
  { shape, encoding, monotone }: Inputs,
  mistake: Mistake,
): Omit<Tabular, "name"> {
  const inputs = shape.reduce((a, b) => a * b, 1);
  if (model.kind === "lenet") {
    if (shape.join() !== "1,28,28")
      throw mistake(
        ["model", "kind"],
        `model.kind: lenet is for grey images of 28×28 pixels; take linear or mlp for ${shape.length === 1 ? "columns" : `images of ${shape.join("×")}`}.`,
      );
    return plain(lenet({ outputs }));
  }
  const { activation, normalisation, dropout } = model.kind === "mlp" ? model : {};
  const hidden = model.kind === "mlp" ? hiddenOf(model, mistake) : [];
  const embedded = encoding ? embeddedFeatures(encoding) : [];
  const special = embedded.length > 0 || monotone !== undefined || normalisation || dropout !== undefined;
  if (!special || shape.length > 1) return plain(mlp({ inputs, hidden, outputs, activation }));
  if (monotone && normalisation)
    throw mistake(
      ["model", "normalisation"],
      "model.normalisation: a network that is normalised over its units cannot be made monotone, and a monotonicity must hold; leave out one of them.",
    );
  const normalised = normalisation === "layer";
  return tabular({
    ...{ inputs, hidden, outputs, activation, embedded, normalised, dropout },
    ...(monotone && { monotone: new Map(monotone) }),
  });
}

const plain = ({ init, apply }: Model<Params>): Omit<Tabular, "name"> => ({
  init,
  apply,
  weights: (params) => params.map(({ weight }) => weight),
});

function hiddenOf(
  { hidden, width, depth }: Extract<Spec["model"], { kind: "mlp" }>,
  mistake: Mistake,
): readonly number[] {
  if (hidden && (width !== undefined || depth !== undefined))
    throw mistake(
      ["model", "hidden"],
      "model.hidden: it says the width of each layer; leave out width and depth.",
    );
  return hidden ?? new Array<number>(depth ?? 1).fill(width ?? 16);
}
