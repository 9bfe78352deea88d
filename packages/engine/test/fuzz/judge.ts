// Whether results are what a program may give, element by element. A few samples explain nearly all; more are drawn, up to many,
// while they do not, since what is not promised may show in one of fifty.
import type { Data, NdArray } from "@pliant/engine";
import type { Program } from "../../src/graph.js";
import { type Allowed, allowed } from "./nudge.js";

export interface Verdict {
  readonly elements: number;
  /** Elements for which something is promised. */
  readonly promised: number;
  /** The first element that is not as promised, in words, and the output it is in. */
  readonly found?: { readonly output: number; readonly what: string };
}

export function judge(
  program: Program,
  inputs: readonly NdArray[],
  got: readonly Data[],
  { seed = 1, many = 24 } = {},
): Verdict {
  let verdict: Verdict;
  // More samples allow what fewer did.
  for (const bounds of allowed(program, inputs, seed, many)) {
    verdict = compare(bounds, got);
    if (!verdict.found) break;
  }
  return verdict!;
}

function compare(bounds: readonly Allowed[], got: readonly Data[]): Verdict {
  let [elements, promised] = [0, 0];
  for (const [output, { wanted, within }] of bounds.entries()) {
    elements += wanted.length;
    for (let i = 0; i < wanted.length; i++) {
      if (Number.isNaN(within[i])) continue;
      promised++;
      const [w, g] = [wanted[i], got[output][i]];
      if (w === g || (Number.isNaN(w) && Number.isNaN(g)) || Math.abs(w - g) <= within[i]) continue;
      return {
        elements,
        promised,
        found: { output, what: `element ${i} is ${g} instead of ${w} ± ${within[i]}` },
      };
    }
  }
  return { elements, promised };
}
