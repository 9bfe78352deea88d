// What an exchange asks each site to upload, and what is wrong with an upload that no honest site sends.
import { flatSize, type Sums } from "@pliant/federated";
import type { Blobs } from "../ports/blobs.js";
import { decodeGiven, uploadLength } from "../protocol/index.js";
import { type FederationSpec, hasHistogram, plannedOf } from "../spec/spec.js";
import type { Stage } from "../spec/stages.js";
import { evaluationSize } from "../tables/evaluation.js";
import { groupSize } from "../tables/group-prices.js";
import { surveySize } from "../tables/survey.js";
import { binCount } from "./histogram.js";

/** How many coordinates, and how many numbers that ride along. */
export interface Shape {
  readonly values: number;
  readonly numbers: number;
}

/** An exchange: its stage, and its place in the round. */
export interface At {
  readonly stage: Stage;
  readonly exchange: number;
}

const otherShape = "it uploaded something of another shape";

export interface AskedUploads {
  shape(at: At): Shape;
  /** In bytes, of a sum in so many parts. */
  length(at: At, parts: number): number;
  /** A reason, "missing" where there is no such upload, nothing where all is well. */
  fault(upload: string, at: At, parts: number): Promise<string | undefined>;
}

/** How many numbers by group ride along. */
export const groupNumbers = ({ data: { groups } }: FederationSpec, exchange: number): number =>
  groups?.loss !== undefined && exchange === 0 ? groupSize(groups) : 0;

export function askedUploads(spec: FederationSpec, form: Sums, blobs: Blobs): AskedUploads {
  const plan = plannedOf(spec);
  const plain = spec.sums.kind === "plain";
  const shape = ({ stage, exchange }: At): Shape => {
    if (stage === "survey") return { values: 0, numbers: surveySize(spec.data) };
    if (stage === "evaluation") return { values: 0, numbers: evaluationSize(spec) };
    const { communication, numbers } = plan[exchange];
    const values = communication === undefined ? 0 : flatSize(form.update) + flatSize(form.shared);
    const more = (hasHistogram(spec) ? binCount : 0) + groupNumbers(spec, exchange);
    return { values, numbers: numbers.length + more };
  };
  const length = (at: At, parts: number): number => {
    const { values, numbers } = shape(at);
    return uploadLength(plain, values, numbers, parts);
  };
  return {
    shape,
    length,
    fault: async (upload, at, parts) => {
      const found = await blobs.length(upload);
      if (found === undefined) return "missing";
      if (found !== length(at, parts)) return otherShape;
      if (!plain) return undefined;
      const { values, numbers } = decodeGiven(await blobs.get(upload));
      const wanted = shape(at);
      if (values.length !== wanted.values || numbers.length !== wanted.numbers) return otherShape;
      const finite = values.every(Number.isFinite) && numbers.every(Number.isFinite);
      return finite ? undefined : "it uploaded numbers that are not finite";
    },
  };
}
