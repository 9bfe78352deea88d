// Where a site knows a run to be: at the last model that it took, or at the one that the spec's seed gives. Whatever it is shown later
// is so many exchanges from there, and no sum of honest updates carries a model further than sums.bound in one exchange. There is
// always an anchor, so nothing goes unchecked.
import { InputError } from "@pliant/core";
import { flattenSums, type Sums } from "@pliant/federated";
import { firstPast, type ShownMessage } from "../protocol/index.js";
import { type FederationSpec, plannedOf } from "../spec/spec.js";
import { trainingStep } from "../spec/stages.js";

/** A place in a run: exchanges count over the whole run. */
export interface Place {
  readonly exchange: number;
  readonly step: number;
  readonly part: number;
  /** The hash of the model there; nothing where that is the seed's. */
  readonly hash?: string;
}

/** A place, and the last model that a site has of it or of an exchange before it. */
export interface Anchor extends Place {
  readonly model: Sums;
  /** The exchange that the model was shown in. */
  readonly of: number;
}

/** Where every run begins. */
export const seedAnchor = (model: Sums): Anchor => ({ exchange: 0, step: 0, part: 0, model, of: 0 });

const place = (shown: Pick<ShownMessage, "step" | "exchange">) =>
  `round ${shown.step + 1}, sum ${shown.exchange + 1}`;

/** An exchange leads to the next sum of its round, or to the next round. */
function checkPlace(
  spec: FederationSpec,
  run: string,
  exchange: number,
  shown: Pick<ShownMessage, "step" | "exchange" | "past">,
  from: Place,
): void {
  const [passed, steps, part] = [exchange - from.exchange, shown.step - from.step, shown.exchange];
  const most = steps * plannedOf(spec).length + part - from.part;
  const can =
    steps === 0 ? passed === part - from.part : steps > 0 && passed >= steps + part && passed <= most;
  if (!can)
    throw new InputError(
      `The coordinator asks for ${place(shown)} as exchange ${exchange}; from round ${from.step + 1}, sum ${from.part + 1} as exchange ${from.exchange} no run comes there.`,
    );
  if (exchange === 0 && shown.past !== firstPast(run))
    throw new InputError("The coordinator tells of exchanges before the first.");
}

/** Refuses a model that no honest run has shown at this place. */
export function checkModel(
  spec: FederationSpec,
  run: string,
  exchange: number,
  shown: ShownMessage,
  { update, shared }: Sums,
  initial: Sums,
  from: Anchor,
): void {
  const begins = trainingStep(spec, shown.step) <= 0 && shown.exchange === 0;
  if (begins && beyond({ update, shared }, initial, 0))
    throw new InputError(
      "The coordinator begins with another model than the one that the spec's seed gives.",
    );
  checkPlace(spec, run, exchange, shown, from);
  if (exchange === from.exchange && from.hash !== undefined && from.hash !== shown.model)
    throw new InputError(`The coordinator shows a second model in exchange ${exchange}.`);
  const passed = exchange - from.of;
  const most = passed * spec.sums.bound * (1 + 1e-3);
  // The solver's second average as well: local steps follow it beyond any clip.
  if (beyond({ update, shared }, from.model, most))
    throw new InputError(
      `The coordinator's model has moved further than sums.bound, ${spec.sums.bound}, in each of ${passed} exchanges; no sum of honest updates does that.`,
    );
}

/** Whether a coordinate is further from where it was than that, or not finite. */
function beyond(now: Sums, then: Sums, most: number): boolean {
  const [a, b] = [flattenSums(now), flattenSums(then)];
  return a.some((value, i) => !(Math.abs(value - b[i]) <= most));
}
