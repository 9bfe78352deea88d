// How a model was arrived at: what was tried and chosen on the way, as its report has it.
import type { Totals } from "./totals.js";

/** How the model was arrived at. */
export interface Choices {
  /** How many numbers it is made of; none in a report of an earlier version. */
  readonly parameters?: number;
  /** The weight of the sum of squared weights in the objective. */
  readonly decay: number;
  /** The decays that were tried first, with the loss on validation rows without requirements. */
  readonly tried?: readonly { readonly decay: number; readonly loss: number }[];
  /** The decays that were tried first, with the loss on a fold of the training rows. */
  readonly folded?: readonly { readonly decay: number; readonly loss: number }[];
  /** The decays under which the whole was solved, one after another, as rows were overfitted; the best is kept. */
  readonly decays?: readonly number[];
  /** The loss on validation rows of a model without requirements at this decay, where one was trained to choose it. */
  readonly without?: number;
  /** The step whose model was kept, where it is not the last one's. */
  readonly keptStep?: number;
  /** For soft counts: loss plus costs of this model, and of one without them. */
  readonly totals?: Totals;
  /** The part of the costs by which what stands for counts is weighed, where that comes to less than all of them. */
  readonly share?: number;
  /** How far the threshold was moved in the end. */
  readonly moved?: number;
  /** Requirements that the model is built to meet, at any row. */
  readonly byConstruction?: readonly string[];
  /** Requirements whose prices rose without effect at the end, because the rows were overfitted. */
  readonly ranAway?: readonly string[];
}
