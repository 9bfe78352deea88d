// Warnings about miscalibrated probabilities. Requirements on decisions move scores, and with them probabilities.
import { excessOf } from "@pliant/core";
import type { Calibration } from "../evaluate/calibration.js";
import { figure } from "../format/figure.js";
import { askedOf } from "../questions/answers.js";
import type { TellableReport } from "./judged.js";

/** What is less harms nobody. */
const small = 0.02;

/** Beyond what chance does, and by enough to matter. */
export const isOff = ({ error, chance: { mean, deviation } }: Calibration): boolean =>
  error - mean > Math.max(small, 3 * deviation);

/** A requirement on the calibration of all rows that holds: in words, and its bound on other rows. */
interface Held {
  readonly name: string;
  readonly asked: string;
  /** Its value on the rows that it bounds, and which rows these are. */
  readonly reached: string;
  readonly rows: string;
  holdsAt(error: number): boolean;
}

/** The requirement that a sentence on calibration must agree with. */
export function heldCalibration({
  requirements,
  judgedOn,
}: Pick<TellableReport, "requirements" | "judgedOn">): Held | undefined {
  const rows = { train: "training rows", validation: "validation rows" }[judgedOn];
  for (const [name, r] of Object.entries(requirements)) {
    const outcome = r[judgedOn];
    const ofAll = r.strictly === "calibration error" && name === r.of;
    if (!ofAll || r.cost === "free" || !outcome) continue;
    const holdsAt = (reached: number): boolean => excessOf({ ...r, reached }) <= r.allowance;
    const { value, examples } = outcome.strict;
    if (holdsAt(value))
      return { name, asked: askedOf(r), reached: figure(value, 0), rows: `${examples} ${rows}`, holdsAt };
  }
  return undefined;
}

/** A sentence where they are off on these examples. */
export function calibrationWords(
  { examples, calibration }: { readonly examples: number; readonly calibration?: Calibration },
  rows: string,
  held?: Held,
): string[] {
  if (!calibration || !isOff(calibration)) return [];
  const { of, predicted, observed, error } = calibration;
  const [whose, share] =
    of === undefined ? ["the predicted class", "share of correct predictions"] : [of, `share of ${of}`];
  const found = `on the ${examples} ${rows}, the calibration error is ${figure(error, 0)} (mean probability of ${whose} ${figure(predicted, 0)}, ${share} ${figure(observed, 0)})`;
  if (held?.holdsAt(error))
    return [`Probabilities are calibrated no better than ${held.name} asks (${held.asked}): ${found}.`];
  const start = held
    ? `Probabilities are calibrated as ${held.name} asks (${held.asked}) on the ${held.rows} (${held.reached}), but not on the ${rows}`
    : "Probabilities are not calibrated";
  return [`${start}: ${found}. Treat them as scores, or calibrate them first.`];
}
