// The tables of the benchmark: answers drawn from probabilities that are known, the last rows of each kept for testing.
import { random } from "@pliant/engine";
import { classes, rowsOf, type Table } from "../table.js";

export interface Made {
  readonly name: string;
  readonly table: Table;
  /** The first rows are learnt from, the others tested on. */
  readonly learnt: number;
  readonly classes: number;
}

const two = { groups: [7, 3], shift: 0.8 } as const;

/** A column of 300 values, of which each moves the answer a little. */
function withCities(table: Table, seed: number): Table {
  const n = rowsOf(table);
  const city = Array.from(random.randint(random.key(seed), [n], 0, 300).data, Number);
  const lean = random.normal(random.key(seed + 1), [300]).data;
  const luck = random.uniform(random.key(seed + 2), [n]).data;
  const y = (table.y as readonly number[]).map((own, i) => {
    const chance = 0.35 * Math.tanh(Math.abs(lean[city[i]]));
    return luck[i] < chance ? Number(lean[city[i]] > 0) : own;
  });
  const { y: _, ...rest } = table;
  return { ...rest, city: city.map((c) => `c${c}`), y };
}

/** Three classes from two draws. */
function threeClasses(rows: number, seed: number): Table {
  const { y, ...columns } = classes({ rows, seed, features: 6, positives: 0.4, ...two });
  const { y: other } = classes({ rows, seed, features: 6, positives: 0.15, ...two });
  return {
    ...columns,
    y: (y as number[]).map((a, i) => ((other[i] as number) === 1 ? "red" : a === 1 ? "amber" : "green")),
  };
}

/** Drawn when it is read first: a part of the benchmark needs one of them. */
const drawnOnce = (made: Omit<Made, "table">, draw: () => Table): Made => {
  let table: Table | undefined;
  return {
    ...made,
    get table() {
      table ??= draw();
      return table;
    },
  };
};

export function tables(): Made[] {
  type Own = Partial<Parameters<typeof classes>[0]>;
  const draw = (rows: number, own: Own): Table =>
    classes({ rows, seed: 301, positives: 0.25, features: 8, ...two, ...own });
  const made = (name: string, learnt: number, test: number, own: Own): Made =>
    drawnOnce({ name, learnt, classes: 2 }, () => draw(learnt + test, own));
  return [
    made("300 rows", 300, 4000, { seed: 311, features: 4, positives: 0.4 }),
    made("2000 rows", 2000, 6000, { seed: 312, features: 20 }),
    made("14000 rows", 14_000, 8000, { seed: 313, features: 19 }),
    made("100000 rows", 100_000, 20_000, { seed: 314, features: 10 }),
    made("2% positives", 20_000, 20_000, { seed: 315, positives: 0.02 }),
    made("groups that conflict", 6000, 8000, { seed: 316, features: 6, shift: 1.2, tilt: 1.5 }),
    made("curved", 5000, 8000, { seed: 317, features: 6, curved: true }),
    drawnOnce({ name: "300 categories", learnt: 8000, classes: 2 }, () =>
      withCities(draw(16_000, { seed: 318 }), 41),
    ),
    drawnOnce({ name: "three classes", learnt: 5000, classes: 3 }, () => threeClasses(13_000, 319)),
  ];
}
