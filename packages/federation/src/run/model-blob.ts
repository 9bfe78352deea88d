// What the server shares, as bytes: the model, then the solver's second average, in the precision they have; then, where a run
// has other steps than rounds, what was agreed, as JSON.

import { PliantError } from "@pliant/core";
import { leaves, type NdArray } from "@pliant/engine";
import { flatSize, flattenSums, type Sums, unflattenSums } from "@pliant/federated";
import { z } from "zod";
import type { Agreed } from "../spec/stages.js";

const numbers = z.array(z.number());
const agreedSchema = z.strictObject({
  stage: z.enum(["survey", "training", "evaluation"]),
  scale: z.record(z.string(), z.tuple([z.number(), z.number().positive()])).optional(),
  groups: z
    .strictObject({ prices: numbers, relaxations: numbers, rows: numbers, sites: z.number() })
    .optional(),
});

/** What travels, in the form that sums have. */
type Form = Sums;

const isDouble = ({ update }: Form): boolean => (leaves(update)[0].leaf as NdArray).dtype === "float64";

/** As bytes, whose hash names the model. */
export function encodeModel(shared: Form, agreed?: Agreed): Buffer {
  const flat = flattenSums(shared);
  const data = isDouble(shared) ? flat : Float32Array.from(flat);
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return agreed ? Buffer.concat([bytes, Buffer.from(JSON.stringify(agreed))]) : bytes;
}

/** The way back, into the form of `like`; with what was agreed where the run is staged. */
export function decodeModel(bytes: Buffer, like: Form, staged = false): Form & { readonly agreed?: Agreed } {
  const size = flatSize(like.update) + flatSize(like.shared);
  const length = size * (isDouble(like) ? 8 : 4);
  if (staged ? bytes.length <= length : bytes.length !== length)
    throw new PliantError(
      `The model that was shown has ${bytes.length} bytes, and this spec's model has ${size} numbers.`,
    );
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + length) as ArrayBuffer;
  const data = isDouble(like) ? new Float64Array(copy) : Float64Array.from(new Float32Array(copy));
  const model = unflattenSums(data, like);
  return staged ? { ...model, agreed: readAgreed(bytes.subarray(length)) } : model;
}

function readAgreed(bytes: Buffer): Agreed {
  try {
    return agreedSchema.parse(JSON.parse(bytes.toString()));
  } catch {
    throw new PliantError("The model that was shown does not say what was agreed.");
  }
}
