// What a site says of the final model is of that model, on its own rows; and features of any size are learnt from alike.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NdArray, NdArray as Numbers } from "@pliant/engine";
import type { Pool } from "@pliant/federated";
import { checkSpec, type FederationSpec, sizesNote } from "@pliant/federation";
import { expect, test } from "vitest";
import { readSiteData } from "../src/spec/site-data.js";
import { inProcess } from "./in-process.js";
import { csvOf, specOf, tablesOf } from "./problem.js";

type Layers = readonly { readonly weight: NdArray; readonly bias: NdArray }[];

/** The mean loss and the share that is right, worked out number by number. */
function byHand(layers: Layers, { x, y }: Pool): { loss: number; accuracy: number } {
  const width = x.size / y.size;
  const rows = Array.from({ length: y.size }, (_, row) => {
    let values = Array.from({ length: width }, (_, k) => Number(x.data[row * width + k]));
    for (const [depth, { weight, bias }] of layers.entries()) {
      const next = Array.from(bias.data, (b, j) =>
        values.reduce((sum, v, i) => sum + v * Number(weight.data[i * bias.size + j]), Number(b)),
      );
      values = depth === layers.length - 1 ? next : next.map(Math.tanh);
    }
    const label = Number(y.data[row]);
    const logSum = Math.log(values.reduce((sum, v) => sum + Math.exp(v), 0));
    return { loss: logSum - values[label], hit: values[label] === Math.max(...values) ? 1 : 0 };
  });
  const mean = (of: (row: (typeof rows)[number]) => number) =>
    rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  return { loss: mean(({ loss }) => loss), accuracy: mean(({ hit }) => hit) };
}

test("a site's loss and accuracy in the end are of the final model, not of the one its last round began with", async () => {
  const tables = tablesOf(3);
  const { sites, state } = await inProcess(specOf({ sites: { number: 3 } }), tables);
  for (const [i, site] of sites.entries()) {
    const expected = byHand(state.params as Layers, tables[i]);
    expect(site.loss).toBeCloseTo(expected.loss, 5);
    expect(site.accuracy).toBeCloseTo(expected.accuracy, 9);
    expect(site.lossBefore).not.toBeCloseTo(expected.loss, 3);
  }
});

test("a federation whose spec has the scale of its features is that of sites which scaled them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-scaled-"));
  const [centre, spread] = [650, 350];
  const plain = specOf({ sites: { number: 3 } });
  const scaled: FederationSpec = checkSpec({
    ...plain,
    data: { ...plain.data, scale: { [plain.data.features[0]]: [centre, spread] } },
  });
  const tables = tablesOf(3);
  const raw = tables.map(({ x, y }) => {
    const width = x.size / y.size;
    const data = Float32Array.from(x.data, (v, k) =>
      k % width === 0 ? Number(v) * spread + centre : Number(v),
    );
    return { x: new Numbers(data, [...x.shape]), y };
  });
  const read = async (pool: Pool, spec: FederationSpec, k: number) => {
    const file = join(folder, `${k}.csv`);
    writeFileSync(file, csvOf(pool, plain));
    return readSiteData(file, spec);
  };
  try {
    const learnt = await Promise.all(raw.map((pool, k) => read(pool, scaled, k)));
    for (const [k, table] of learnt.entries())
      for (const [i, v] of table.encoded().train.x.data.entries())
        expect(Number(v)).toBeCloseTo(Number(tables[k].x.data[i]), 4);
    expect(sizesNote(learnt[0], scaled)).toBeUndefined();
    const asItIs = sizesNote(await read(raw[0], plain, 9), plain);
    expect(asItIs).toContain(`standardised: ${plain.data.features[0]} (mean 6`);
    expect(asItIs).toContain("data.scale");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a scale of what is no feature is refused", () => {
  const plain = specOf();
  expect(() => checkSpec({ ...plain, data: { ...plain.data, scale: { nothing: [0, 1] } } })).toThrow(
    "data.scale.nothing: is none of the numbers.",
  );
});
