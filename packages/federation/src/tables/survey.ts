// The survey: before the first round one secure sum finds the mean and the standard deviation of every number over the rows
// of all sites. A site gives, for each column, how many cells it has, their sum and the sum of their squares.
import { PliantError } from "@pliant/core";
import { numberColumn, type Table } from "@pliant/data/table";
import type { DataSpec, Scale } from "../spec/data-spec.js";
import { numberColumns } from "./encoding.js";
import { fromLimbs, limbs, rowUnit, toLimbs } from "./exact-sums.js";

const perColumn = 1 + 2 * limbs;

/** How many numbers a site gives. */
export const surveySize = (data: DataSpec): number => perColumn * numberColumns(data).length;

/** What a site gives, of its training rows. */
export function surveyOf(table: Table, data: DataSpec): number[] {
  return numberColumns(data).flatMap((name) => {
    const { values } = numberColumn(table, name);
    let [count, sum, squares] = [0, 0, 0];
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      count++;
      sum += value;
      squares += value * value;
    }
    return [count / rowUnit, ...toLimbs(sum), ...toLimbs(squares)];
  });
}

/** Centre and spread of every number, from the means over so many sites. */
export function agreedScale(means: readonly number[], sites: number, data: DataSpec): Scale {
  return Object.fromEntries(
    numberColumns(data).map((name, k): [string, [number, number]] => {
      const own = means.slice(k * perColumn, (k + 1) * perColumn).map((mean) => mean * sites);
      const count = Math.round(own[0] * rowUnit);
      if (count < 0) throw new PliantError(`The sites count ${count} cells of "${name}": a site lied.`);
      if (count === 0) return [name, [0, 1]];
      const centre = fromLimbs(own.slice(1, 1 + limbs)) / count;
      const square = fromLimbs(own.slice(1 + limbs)) / count;
      const variance = square - centre * centre;
      if (!(variance >= -1e-6 * square - 1e-12))
        throw new PliantError(`The variance of "${name}" over all sites is ${variance}: a site lied.`);
      // Equal numbers leave a remainder of rounding, which must not become a scale.
      return [name, [centre, variance > 1e-12 * square ? Math.sqrt(variance) : 1]];
    }),
  );
}
