// Means over groups that a minibatch may lack. A group without members in a batch was not observed: it has no loss to speak of, so
// its price rests and it moves no parameter. 0 in its place would read as a requirement met by far.
import { Tensor, where } from "@pliant/engine";
import { PliantError } from "../errors.js";

/** Values, and for each 1 where it was observed and 0 where not; everywhere unless given. */
export interface Observed {
  readonly value: Tensor;
  readonly observed?: Tensor;
  /** Of a strict metric: the smallest change that it can show where it is, where that is not always the same. */
  readonly resolution?: Tensor;
}

/**
 * The mean of values [n] over each group: members is [n, groups], rows first like all data, with 1 (or a weight) for each member and 0
 * elsewhere; [n] is one group. Over a minibatch drawn evenly each observed mean is unbiased, whatever the share of its group.
 */
export function groupMeans(values: Tensor, members: Tensor): Observed {
  const fits = members.rank === 2 || members.rank === 1;
  if (values.rank !== 1 || !fits || members.shape[0] !== values.shape[0])
    throw new PliantError(
      `groupMeans: values [n] and members [n, groups] are needed, got [${values.shape}] and [${members.shape}].`,
    );
  const weights = members.reshape([values.size, -1]).cast(values.dtype);
  const total = weights.sum(0);
  const some = total.gt(0);
  return {
    value: values
      .expandDims(1)
      .mul(weights)
      .sum(0)
      .div(where(some, total, 1)),
    observed: some.cast(values.dtype),
  };
}

/** What a loss gave, as vectors. It computes in the objective's dtype; what is only counted is converted to it. */
export function observedOf(
  name: string,
  given: Tensor | Observed,
  dtype: Tensor["dtype"],
  { counted = false }: { counted?: boolean } = {},
): Observed {
  const { value, observed, resolution }: Partial<Observed> =
    given instanceof Tensor ? { value: given } : (given ?? {});
  if (!(value instanceof Tensor) || (value.dtype !== dtype && !counted)) {
    const got = value instanceof Tensor ? value.dtype : given === null ? "null" : typeof given;
    throw new PliantError(`${name}: its loss must be a tensor of ${dtype} like the objective, got ${got}.`);
  }
  const flat = (x: Tensor): Tensor => x.reshape([x.size]).cast(dtype);
  return {
    value: flat(value),
    ...(observed && { observed: flat(observed) }),
    ...(resolution && { resolution: flat(resolution) }),
  };
}
