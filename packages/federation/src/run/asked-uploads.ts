// What an exchange asks each site to upload, and what is wrong with an upload that no honest site sends.
import { reference } from "@pliant/engine";
import { flatSize, planned, type Sums } from "@pliant/federated";
import type { Blobs } from "../ports/blobs.js";
import { decodeGiven, uploadLength } from "../protocol/index.js";
import { type FederationSpec, hasHistogram, networkOptions } from "../spec/spec.js";
import { binCount } from "./histogram.js";

/** How many coordinates, and how many numbers that ride along. */
export interface Shape {
  readonly values: number;
  readonly numbers: number;
}

export interface AskedUploads {
  shape(exchange: number): Shape;
  /** In bytes. */
  length(exchange: number): number;
  /** A reason, "missing" where there is no such upload, nothing where all is well. */
  fault(upload: string, exchange: number): Promise<string | undefined>;
}

/** By exchanges of a round. */
export function askedUploads(spec: FederationSpec, form: Sums, blobs: Blobs): AskedUploads {
  const plan = planned(networkOptions(spec, reference()));
  const plain = spec.sums.kind === "plain";
  const shape = (exchange: number): Shape => {
    const { communication, numbers } = plan[exchange];
    const values = communication === undefined ? 0 : flatSize(form.update) + flatSize(form.shared);
    return { values, numbers: numbers.length + (hasHistogram(spec) ? binCount : 0) };
  };
  const length = (exchange: number): number => {
    const { values, numbers } = shape(exchange);
    return uploadLength(plain, values, numbers);
  };
  return {
    shape,
    length,
    fault: async (upload, exchange) => {
      const found = await blobs.length(upload);
      if (found === undefined) return "missing";
      if (found !== length(exchange)) return "it uploaded something of another shape";
      if (!plain) return undefined;
      const { values, numbers } = decodeGiven(await blobs.get(upload));
      const finite = values.every(Number.isFinite) && numbers.every(Number.isFinite);
      return finite ? undefined : "it uploaded numbers that are not finite";
    },
  };
}
