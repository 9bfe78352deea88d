// The loss of a row under a spec: cross-entropy of a class, squared error of a number, times the row's weight where it has one.
// Targets with weights are pairs [label, weight].
import type { Tensor } from "@pliant/engine";
import type { PerSampleNumber } from "@pliant/federated";
import { crossEntropy, squaredError } from "@pliant/learn";
import { type DataSpec, isRegression } from "../spec/data-spec.js";

/** Undefined where it is the cross-entropy of rows that count alike. */
export function lossFor(data: DataSpec): PerSampleNumber | undefined {
  const regression = isRegression(data);
  const plain: PerSampleNumber = regression
    ? (outputs, targets) => squaredError(outputs.reshape(outputs.shape.slice(0, -1)), targets)
    : crossEntropy;
  if (!hasRowWeights(data)) return regression ? plain : undefined;
  return (outputs, targets) => {
    const label = part(targets, 0);
    return plain(outputs, regression ? label : label.cast("int32")).mul(part(targets, 1));
  };
}

/** Rows have weights of their own, or those that prices of groups give them. */
export const hasRowWeights = ({ weights, groups }: DataSpec): boolean =>
  weights !== undefined || groups?.loss !== undefined;

/** One of the last axis, which goes. */
const part = (x: Tensor, place: number): Tensor =>
  x.slice([...x.shape.slice(0, -1).map((): [] => []), [place, place + 1]]).reshape(x.shape.slice(0, -1));
