// Prices that are known only together. A combination of active requirements whose gradients cancel can be added to the prices without
// any slope to show for it: of D½ĴĴᵀD½ + (I − D), whose diagonal is about 1, a pivot near 0 is one. Where two ask the same, only the
// sum of their prices is determined.
import type { LocalModel } from "./local-model.js";
import type { KktStep } from "./newton-kkt.js";
import { dot, square, type Vector, vector } from "./vectors.js";

/** A pivot below this share of the diagonal depends on those before it. */
export const dependent = 1e-4;
/** A part of a combination below this is rounding. */
const part = 1e-2;
/** Beyond so many active requirements they are not compared. */
const most = 256;

export interface Determined {
  /** Sets of elements whose prices are known only together. */
  readonly together: number[][];
  /** The share of what prices pull by that is left to combinations whose gradients cancel: no multiplier exists where it matters. */
  readonly hanging: number;
  /** The error of each price from the slope that the step leaves and its rounding: ρ√((M⁻¹)ᵢᵢ/tᵢ) for length ρ, M as above. */
  readonly left: Vector;
}

/** How well prices are told apart. */
export async function determined(
  model: LocalModel,
  { scales, at, active, dropped }: KktStep,
  after = 0,
): Promise<Determined> {
  const { m } = model;
  const none = new Float64Array(m);
  const { d, t } = scales;
  const elements = [...active.keys()].filter((i) => active[i] > 1e-3);
  if (elements.length === 0 || elements.length > most) return { together: [], hanging: 0, left: none };
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
  const pivots = gram.map((row, i) => row[i]);
  for (let step = 0; step < k; step++) {
    const free = [...Array(k).keys()].filter((i) => !order.includes(i));
    const pivot = free.reduce((best, i) => (pivots[i] > pivots[best] ? i : best), free[0]);
    if (pivots[pivot] < dependent) {
      const priced = elements.map((i) => at.prices[i] * Math.sqrt(t[i]));
      const pull = Math.sqrt(
        gram.reduce((sum, row, a) => sum + row.reduce((s, g, b) => s + g * priced[a] * priced[b], 0), 0),
      );
      let hanging = 0;
      const together = free.map((i) => {
        // Lᵀc = l: how the row is made of those before it.
        const mix = new Float64Array(order.length);
        for (let a = order.length - 1; a >= 0; a--) {
          let sum = L[i][a];
          for (let b = a + 1; b < order.length; b++) sum -= L[order[b]][a] * mix[b];
          mix[a] = sum / L[order[a]][a];
        }
        // Along v = e − Lᵀ⁻¹l prices pull by no more than √pivot, whatever they are.
        const [along, size] = order.reduce(
          ([p, s], j, a) => [p - mix[a] * priced[j], s + mix[a] ** 2],
          [priced[i], 1],
        );
        hanging = Math.max(
          hanging,
          ((Math.abs(along) / size) * Math.sqrt(Math.max(0, pivots[i]))) / (pull || 1),
        );
        return [i, ...order.filter((_, a) => Math.abs(mix[a]) > part)].map((x) => elements[x]);
      });
      return { together, hanging, left: none };
    }
    const root = Math.sqrt(pivots[pivot]);
    L[pivot][step] = root;
    for (const i of free) {
      if (i === pivot) continue;
      let sum = gram[i][pivot];
      for (let b = 0; b < step; b++) sum -= L[i][b] * L[pivot][b];
      L[i][step] = sum / root;
      pivots[i] -= L[i][step] ** 2;
    }
    order.push(pivot);
  }
  // A slope is a sum of parts that cancel at a minimum: its rounding is that of the parts.
  const nothing = Math.sqrt(
    square(
      scales.rounding.slope,
      d.map((x) => 1 / x),
    ),
  );
  const rounded =
    model.epsilon * Math.sqrt(2 * (scales.bent + scales.gain)) + dropped + Math.max(0, after - nothing);
  const left = new Float64Array(m);
  for (let a = 0; a < k; a++) {
    // ‖L⁻¹e‖².
    const column = new Float64Array(k);
    let sum = 0;
    for (let b = a; b < k; b++) {
      let entry = Number(a === b);
      for (let c = a; c < b; c++) entry -= L[order[b]][c] * column[c];
      column[b] = entry / L[order[b]][b];
      sum += column[b] ** 2;
    }
    const i = elements[order[a]];
    left[i] = rounded * Math.sqrt(sum / t[i]);
  }
  return { together: [], hanging: 0, left };
}
