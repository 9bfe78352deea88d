// What a requirement is measured by that begins at a level of 0: neither number says anything about its units, but the curvature of the
// objective does. A price moves by about 1/t for a unit of its requirement, which moves by σ = √(2Ut) while the objective falls by U.
import type { NdArray } from "@pliant/engine";
import type { Models } from "../certificate/compiled-model.js";
import { scalesAt } from "../certificate/newton-kkt.js";
import { ravel, unravel, vector } from "../certificate/vectors.js";
import type { Arrangement } from "../layout/constraint-layout.js";
import type { Problem } from "../problem/problem.js";

/** First price rates are at most so many times what is natural: they find their own from there. */
const orders = 100;
/** A start this near to 0, in units of the natural size, says nothing. */
const hardly = 1e-3;

/** The layout with scales for all requirements, and the first price rates. */
export async function withNaturalScales<P, D, M, N extends string>(
  { requirements, params }: Problem<P, D, M, N>,
  arranged: Arrangement<P, D, N>,
  models: Models,
): Promise<{ arranged: Arrangement<P, D, N>; rates: NdArray[] }> {
  const own = arranged.vectors((name) => requirements[name].rate ?? 1);
  const known = ravel([...arranged.scales]);
  const levels = ravel([...arranged.stated.levels]);
  const asked = ravel(arranged.vectors((name) => Number(requirements[name].scale !== undefined)));
  const isKnown = vector(known.length, (i) => Number(asked[i] > 0 || levels[i] !== 0));
  if (isKnown.every(Boolean)) return { arranged, rates: own };
  const model = await models(params, arranged.stated);
  const x = ravel(params);
  const nothing = new Float64Array(model.m);
  const { scales } = await scalesAt(model, { x, prices: nothing }, 1);
  const falls = scales.slope.reduce((sum, s, j) => sum + (0.5 * s * s) / scales.d[j], 0);
  const worth = falls || scales.worth || 1;
  // Where it starts says something too, unless that is next to nothing.
  const sizes = vector(model.m, (i) => {
    const natural = Math.sqrt(2 * worth * scales.t[i]) || 1;
    return isKnown[i] || known[i] > hardly * natural ? known[i] : natural;
  });
  const rates = ravel(own).map((rate, i) => (isKnown[i] ? rate : Math.min(rate, orders / scales.t[i])));
  const split = (flat: Float64Array<ArrayBuffer>): NdArray[] => unravel([...arranged.scales], flat);
  return { arranged: { ...arranged, scales: split(sizes) }, rates: split(rates) };
}
