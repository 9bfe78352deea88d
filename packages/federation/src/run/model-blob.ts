// What the server shares, as bytes: the model, then the solver's second average, in the precision they have.

import { PliantError } from "@pliant/core";
import { leaves, type NdArray } from "@pliant/engine";
import { flatSize, flattenSums, type Sums, unflattenSums } from "@pliant/federated";

/** What travels, in the form that sums have. */
type Form = Sums;

const isDouble = ({ update }: Form): boolean => (leaves(update)[0].leaf as NdArray).dtype === "float64";

/** As bytes, whose hash names the model. */
export function encodeModel(shared: Form): Buffer {
  const flat = flattenSums(shared);
  const data = isDouble(shared) ? flat : Float32Array.from(flat);
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

/** The way back, into the form of `like`. */
export function decodeModel(bytes: Buffer, like: Form): Form {
  const size = flatSize(like.update) + flatSize(like.shared);
  if (bytes.length !== size * (isDouble(like) ? 8 : 4))
    throw new PliantError(
      `The model that was shown has ${bytes.length} bytes, and this spec's model has ${size} numbers.`,
    );
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const data = isDouble(like) ? new Float64Array(copy) : Float64Array.from(new Float32Array(copy));
  return unflattenSums(data, like);
}
