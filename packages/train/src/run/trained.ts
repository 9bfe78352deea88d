// The model of a run, from its folder alone.

import { InputError, type SolverState } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import type { Params, Traced } from "@pliant/learn";
import { decodeState } from "@pliant/learn/runs";
import { existsSync, join, readFileSync } from "@pliant/platform";
import { readDecision } from "../decision/file.js";
import { bestFile } from "../fit/watch.js";
import { type Decision, fixedAt } from "../problem/decision.js";
import { type Predictor, predictorFor } from "../problem/model.js";
import { goOnWith, readRun, type TrainAsked } from "./asked.js";

/** A trained model, read from its run folder. */
export interface Trained {
  readonly asked: TrainAsked;
  readonly params: Params;
  readonly predictor: Predictor;
  /** Where scores become decisions. */
  readonly decision: Decision;
  /** For classes the probabilities, [N, K]; for regression the number, [N], in its own units. */
  answer(params: Traced<Params>, x: Tensor): Tensor;
}

/** The model of a run folder: the best on validation rows where one was kept, else the last. */
export function trainedModel(folder: string): Trained {
  const { asked } = readRun(folder);
  const [best, last] = [bestFile, "checkpoint.safetensors"].map((name) => join(folder, name));
  const file = existsSync(best) ? best : last;
  if (!existsSync(file))
    throw new InputError(`the run in ${folder} has no model yet; resume it with ${goOnWith(folder)}`);
  const { params } = decodeState<SolverState>(readFileSync(file), file);
  const { target, shape, encoding, monotone } = asked.data;
  const predictor = predictorFor(
    asked.spec.model,
    { target, shape, encoding, monotone },
    (_, sentence) => new InputError(sentence),
  );
  return {
    asked,
    params: params as Params,
    predictor,
    decision: readDecision(folder) ?? fixedIn(asked),
    answer: (weights, x) => {
      const found = predictor.logits(weights, x);
      return target.kind === "class" ? found.softmax() : found.mul(target.deviation).add(target.mean);
    },
  };
}

/** At the spec's own threshold, where nothing was learnt of it. */
function fixedIn({ spec: { decision }, data: { target } }: TrainAsked): Decision {
  const at = decision?.threshold;
  return typeof at === "number" && target.kind === "class" ? fixedAt(at, target) : {};
}
