// --hard accepts names as reports print them.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare, readSpec } from "@pliant/train";
import { expect, test } from "vitest";
import { hardSettings } from "../src/training/settings.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-hard-"));
const rows = Array.from(
  { length: 120 },
  (_, i) => `${(i * 7) % 11},${"ABC"[i % 3]},${Number((i * 5) % 7 > 3)}`,
);
writeFileSync(join(folder, "rows.csv"), `x,group,y\n${rows.join("\n")}\n`);
const spec = join(folder, "spec.yaml");
writeFileSync(
  spec,
  `data: { file: rows.csv, target: y, positive: 1, columns: { group: group } }
model: { kind: linear }
decision: { threshold: 0.5 }
requirements:
  odds: { metric: equalised-odds, by: group, level: 0.05 }
  misses: { metric: false-negative-rate, level: [0.1, 0.3] }
  worst: { metric: false-negative-rate, by: group, worst: true, level: 0.4 }
`,
);

async function hardOf(...names: string[]): Promise<string[]> {
  const plain = readSpec(spec);
  const { task } = await prepare(plain.with(hardSettings(plain, names)));
  return task.stated.filter(({ hard }) => hard).map(({ name }) => name);
}
const sides = (name: string, low: number, high: number): string[] => [
  `${name}, at least ${low}`,
  `${name}, at most ${high}`,
];
const odds = (part: string): string[] =>
  ["A", "B", "C"].flatMap((group) => sides(`odds, false ${part} [group=${group}]`, -0.05, 0.05));

test("every printed name is accepted, and selects exactly that requirement", async () => {
  const { task } = await prepare(readSpec(spec));
  for (const { name } of task.stated) expect(await hardOf(name)).toEqual([name]);
});

test.each<[string, string[]]>([
  ["odds, false positives [group=B]", sides("odds, false positives [group=B]", -0.05, 0.05)],
  ["odds, false positives", odds("positives")],
  ["odds", [...odds("positives"), ...odds("negatives")]],
  [
    "odds [group=B]",
    ["positives", "negatives"].flatMap((part) => sides(`odds, false ${part} [group=B]`, -0.05, 0.05)),
  ],
  ["misses", sides("misses", 0.1, 0.3)],
])("%s is all that begin so", async (name, meant) => {
  expect(await hardOf(name)).toEqual(meant);
});

test("several groups of one requirement", async () => {
  const two = [
    "odds, false positives [group=A], at most 0.05",
    "odds, false negatives [group=C], at most 0.05",
  ];
  expect(await hardOf(...two)).toEqual(two);
});

test("an unknown name is refused with a list of the known ones", async () => {
  await expect(hardOf("odds, false positives [group=B], at most 0.5")).rejects.toThrow(
    /is not the name of a requirement; did you mean "odds, false positives \[group=B\], at most 0\.05"/,
  );
  await expect(hardOf("odd")).rejects.toThrow('"odd" is not a requirement of the spec; did you mean "odds"?');
});
