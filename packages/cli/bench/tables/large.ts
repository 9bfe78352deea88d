// A large table, written a block at a time: numbers, a group, a category (none where only numbers are wanted) and a class, 0 or 1.
import { closeSync, openSync, writeSync } from "node:fs";
import { random } from "@pliant/engine";

const block = 20_000;

export function writeLarge(path: string, rows: number, columns: number, { category = true } = {}): void {
  const features = columns - (category ? 3 : 2);
  const names = [
    ...Array.from({ length: features }, (_, j) => `x${j + 1}`),
    "group",
    ...(category ? ["city"] : []),
    "y",
  ];
  const file = openSync(path, "w");
  writeSync(file, `${names.join()}\n`);
  for (let from = 0, k = 0; from < rows; from += block, k++) {
    const n = Math.min(block, rows - from);
    const [forX, forRest] = random.split(random.foldIn(random.key(7), k), 2);
    const x = random.normal(forX, [n, features]).data;
    const u = random.uniform(forRest, [n, 3]).data;
    const lines = Array.from({ length: n }, (_, i) => {
      const own = Array.from({ length: features }, (_, j) => x[i * features + j].toFixed(4));
      const inB = u[3 * i] < 0.4;
      const score = own.reduce((sum, v, j) => sum + Number(v) * ((j % 3) - 1), inB ? -0.7 : 0);
      const yes = u[3 * i + 2] < 1 / (1 + Math.exp(-score));
      const city = category ? [`city${Math.floor(8 * u[3 * i + 1])}`] : [];
      return [...own, inB ? "B" : "A", ...city, Number(yes)].join();
    });
    writeSync(file, `${lines.join("\n")}\n`);
  }
  closeSync(file);
}
