// Prices that are known only together. A combination of active requirements whose gradients cancel can be added to the prices without
// any slope to show for it: of D½ĴĴᵀD½ + (I − D), whose diagonal is about 1, a pivot near 0 is one. Where two ask the same, only the
// sum of their prices is determined.
import type { LocalModel } from "./local-model.js";
import type { KktStep } from "./newton-kkt.js";
import { dot, type Vector, vector } from "./vectors.js";

/** A pivot below this share of the diagonal depends on those before it. */
export const dependent = 1e-4;
/** A part of a combination below this is rounding. */
const part = 1e-2;
/** Beyond so many active requirements they are not compared. */
const most = 256;

export interface Determined {
  /** Sets of elements whose prices are known only together. */
  readonly together: number[][];
  /** What rounding of the slope makes of each price: ρ√((M⁻¹)ᵢᵢ/tᵢ) of a slope that is rounded by ρ, M the matrix above. */
  readonly rounding: Vector;
}

/** How well prices are told apart. */
export async function determined(
  model: LocalModel,
  { scales, active, dropped }: KktStep,
): Promise<Determined> {
  const { m } = model;
  const nothing = new Float64Array(m);
  const { d, t } = scales;
  const elements = [...active.keys()].filter((i) => active[i] > 1e-3);
  if (elements.length === 0 || elements.length > most) return { together: [], rounding: nothing };
  const rows: Vector[] = [];
  for (const i of elements) {
    const { Hv } = await scales.products({ w: vector(m, (k) => Number(k === i)) });
    rows.push(vector(model.n, (j) => Hv[j] / Math.sqrt(d[j] * t[i])));
  }
  const gram = elements.map((a, i) =>
    elements.map((b, j) => {
      const shared = Math.sqrt(active[a] * active[b]) * dot(rows[i], rows[j]);
      return i === j ? shared + 1 - active[a] : shared;
    }),
  );
  // Pivoted Cholesky: rows of L, largest pivot first.
  const k = elements.length;
  const order: number[] = [];
  const L = gram.map(() => new Float64Array(k));
  const left = gram.map((row, i) => row[i]);
  for (let step = 0; step < k; step++) {
    const free = [...Array(k).keys()].filter((i) => !order.includes(i));
    const pivot = free.reduce((best, i) => (left[i] > left[best] ? i : best), free[0]);
    if (left[pivot] < dependent) {
      const together = free.map((i) => {
        // Lᵀc = l: how the row is made of those before it.
        const mix = new Float64Array(order.length);
        for (let a = order.length - 1; a >= 0; a--) {
          let sum = L[i][a];
          for (let b = a + 1; b < order.length; b++) sum -= L[order[b]][a] * mix[b];
          mix[a] = sum / L[order[a]][a];
        }
        return [i, ...order.filter((_, a) => Math.abs(mix[a]) > part)].map((x) => elements[x]);
      });
      return { together, rounding: nothing };
    }
    const root = Math.sqrt(left[pivot]);
    L[pivot][step] = root;
    for (const i of free) {
      if (i === pivot) continue;
      let sum = gram[i][pivot];
      for (let b = 0; b < step; b++) sum -= L[i][b] * L[pivot][b];
      L[i][step] = sum / root;
      left[i] -= L[i][step] ** 2;
    }
    order.push(pivot);
  }
  // A slope is a sum of parts that cancel at a minimum: its rounding is that of the parts.
  const rounded = model.epsilon * Math.sqrt(2 * (scales.bent + scales.gain)) + dropped;
  const rounding = new Float64Array(m);
  for (let a = 0; a < k; a++) {
    // ‖L⁻¹e‖².
    const column = new Float64Array(k);
    let sum = 0;
    for (let b = a; b < k; b++) {
      let left = Number(a === b);
      for (let c = a; c < b; c++) left -= L[order[b]][c] * column[c];
      column[b] = left / L[order[b]][b];
      sum += column[b] ** 2;
    }
    const i = elements[order[a]];
    rounding[i] = rounded * Math.sqrt(sum / t[i]);
  }
  return { together: [], rounding };
}
