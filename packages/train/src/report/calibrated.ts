// What is said of probabilities that are not what they say. Requirements on decisions move scores, and with them probabilities.
import { type Calibration, isOff } from "../run/calibration.js";
import { figure } from "./figure.js";

/** A sentence where they are off on these examples. */
export function calibrationWords(
  { examples, calibration }: { readonly examples: number; readonly calibration?: Calibration },
  rows: string,
): string[] {
  if (!calibration || !isOff(calibration)) return [];
  const { of, predicted, observed, error } = calibration;
  const [given, is] =
    of === undefined ? ["the class that is chosen", "it is right in"] : [of, `the share of ${of} is`];
  return [
    `Probabilities are not calibrated: over the ${examples} ${rows} that of ${given} is ${figure(predicted, 0)} in the mean, and ${is} ${figure(observed, 0)} (calibration error ${figure(error, 0)}); take them for scores, or calibrate them first.`,
  ];
}
