// Losses with kinks, from a spec to its certificate.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import type { TrainReport } from "@pliant/train";
import { expect, test } from "vitest";
import { trainCommand } from "../src/training/train.js";
import { printed } from "./fixtures/output.js";

interface KinkCase {
  readonly rows?: readonly (readonly (string | number)[])[];
  readonly model?: string;
  readonly loss?: string;
  readonly requirement: string;
}

async function trained(
  { rows = regions, model = "linear", loss = "squared-error", requirement }: KinkCase,
  ...settings: string[]
): Promise<TrainReport> {
  const folder = mkdtempSync(join(tmpdir(), "pliant-kinks-"));
  writeFileSync(join(folder, "rows.csv"), ["x,z,region,y", ...rows.map((row) => row.join(","))].join("\n"));
  writeFileSync(
    join(folder, "spec.yaml"),
    `data: { file: rows.csv, target: y, columns: { region: group } }
model: { kind: ${model} }
objective: { loss: ${loss} }
requirements:
  off: { ${requirement}, by: region }
`,
  );
  const text = await printed(() =>
    trainCommand([
      ...[
        join(folder, "spec.yaml"),
        "--out",
        join(folder, "run"),
        "--no-insist",
        "--json",
        "--device",
        "cpu",
      ],
      ...settings.flatMap((one) => ["--set", one]),
    ]),
  );
  return JSON.parse(text) as TrainReport;
}

const drawn = (rows: number, seed: number): number[][] => {
  const draws = Array.from(random.normal(random.key(seed), [rows, 3]).data as ArrayLike<number>);
  return Array.from({ length: rows }, (_, i) => draws.slice(3 * i, 3 * i + 3));
};
const regions = drawn(200, 4).map(([x, z, noise], i) =>
  i % 3 ? [x, z, "N", 2 * x + z + noise] : [x, z, "S", 2 * x - z + 3 * noise],
);
/** One region of three is hard to tell. */
const alike = drawn(900, 2).map(([x, z, noise], i) => [
  ...[x, z, "NES"[i % 3]],
  0.9 * x + 0.2 * z + (i % 3 === 2 ? 0.9 : 0.25) * noise,
]);

test.each([
  ["absolute-error", "mean-absolute-error"],
  ["quantile, quantile: 0.9", "quantile-loss, quantile: 0.9"],
])("a linear model of least %s is certified where it is at a minimum", async (loss, metric) => {
  const { certificate } = await trained({ loss, requirement: `metric: ${metric}, level: 0.6` });
  expect(certificate).toMatchObject({ holds: true, short: [] });
});

test.each([
  ["of a gap that must hold", { requirement: "gap: true, only: [S], level: 0.3, hard: true" }, true],
  [
    "of a network, of which a slope is left,",
    { model: "mlp, hidden: [8]", requirement: "level: 0.45" },
    false,
  ],
] as const)(
  "next to a kink the price %s is that of many more steps, certified or not",
  async (_, of, holds) => {
    const asked = { ...of, rows: alike, requirement: `metric: mean-absolute-error, ${of.requirement}` };
    const [found, later] = [
      await trained(asked, "budget.tolerance=1e-3", "budget.steps=1000"),
      await trained(asked, "budget.tolerance=1e-9", "budget.steps=1000"),
    ];
    const [price, settled] = [found, later].map(({ requirements }) => requirements["off [region=S]"].price);
    expect(price).toBeGreaterThan(0);
    expect(Math.abs(price / settled - 1)).toBeLessThan(0.05);
    expect(found.certificate.holds).toBe(holds);
    expect(found.certificate.short.join()).toMatch(
      holds ? /^$/ : /^the parameters are still off by about [\d.]+%$/,
    );
  },
);
