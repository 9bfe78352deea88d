// Groups of a few rows, levels that no groups can have, and rows that a model separates: what is said of them, before and after.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { prepare } from "../src/problem/prepare.js";
import { trainInFolder } from "../src/run/run.js";
import { readSpec } from "../src/spec/spec-file.js";
import { reportText } from "../src/text/report-text.js";

/** Rows of groups A and B, which `a` tells from each other and, as far as `noise` lets it, the answer; one row is of C. */
function spec(
  requirements: string,
  { noise = 1, objective = "", rows = (_group: string, _at: number): boolean => true } = {},
): string {
  const folder = mkdtempSync(join(tmpdir(), "pliant-few-"));
  const [x, e] = [random.normal(random.key(1), [160]).data, random.normal(random.key(2), [160]).data];
  const seen: Record<string, number> = {};
  const lines = Array.from({ length: 160 }, (_, i): string | never[] => {
    const group = i === 0 ? "C" : i % 3 === 0 ? "A" : "B";
    seen[group] = (seen[group] ?? -1) + 1;
    if (!rows(group, seen[group])) return [];
    const a = x[i] + (group === "A" ? 0.6 : 0);
    return `${a.toFixed(4)},${e[i].toFixed(4)},${group},${a + noise * e[(i + 80) % 160] > 0.3 ? "yes" : "no"}`;
  });
  writeFileSync(join(folder, "rows.csv"), ["a,b,group,y", ...lines.flat(), ""].join("\n"));
  const file = join(folder, "spec.yaml");
  writeFileSync(
    file,
    `name: few
data: { file: rows.csv, target: y, positive: yes, columns: { group: group }, test: 0.25, seed: 2 }
model: { kind: linear }
${objective}
requirements: { ${requirements} }
cost: quadratic(2)
decision: { threshold: 0.5 }
`,
  );
  return file;
}

async function trained(file: string) {
  const { report } = await trainInFolder(readSpec(file, []), {
    name: "few",
    out: file.replace("spec.yaml", "run"),
    device: "cpu",
    insist: false,
    progress: { show: () => {}, end: () => {} },
  });
  return report;
}

const parity = "parity: { metric: demographic-parity, by: group, level: 0.05 }";

describe("a group of one row", () => {
  test("is named before anything is trained, once, with what to do", async () => {
    const { prepared } = await prepare(readSpec(spec(parity)));
    expect(prepared.summary!.warnings).toEqual([
      "parity [group=C]: counted on 1 row, where a rate is 0 or 1, which is too coarse for a level of 0.05; merge C with another group, drop its rows, or name the other groups with requirements.parity.only.",
    ]);
    const only = parity.replace("level", "only: [A, B], level");
    expect((await prepare(readSpec(spec(only)))).prepared.summary!.warnings).toEqual([]);
  });

  test("is not said to hold where its count misses the level", async () => {
    const report = await trained(spec(parity));
    expect(report.certificate.holds).toBe(true);
    const text = reportText(report);
    const name = text.split("\n")[0].match(/too few examples to tell whether "([^"]*)" holds/)?.[1];
    expect(name).toContain("parity [group=C]");
    expect(report.requirements[name!].status).toBe("at its level");
    expect(text).toMatch(
      /\[group=C\].*: too few examples to tell whether it holds: one example is 1\.000 of it/,
    );
  });
});

describe("the worst of groups of which one is a row", () => {
  const worst = "err: { metric: error, by: group, worst: true, level: 0.1 }";

  test("is told by the rows of the group that is worst", async () => {
    const report = await trained(spec(worst));
    const { status, resolution, train } = report.requirements.err;
    expect(train!.group).not.toBe("group=C");
    expect(resolution).toBeCloseTo(1 / train!.strict.examples, 6);
    expect(status).toBe("gave way");
    expect(reportText(report)).not.toContain("too coarse");
  });

  test("names the group before anything is trained, and no level that is asked for already", async () => {
    const { prepared } = await prepare(readSpec(spec(worst.replace("0.1", "0.3"))));
    expect(prepared.summary!.warnings).toEqual([
      "err: the group C is counted on 1 row, and one row moves it by 1.000, which is too coarse for a level of 0.3 if this group is the worst; merge it with another group, add rows, or name the other groups with requirements.err.only.",
    ]);
  });
});

describe("a gap beside a few rows", () => {
  const gap = (more: string) => `g: { metric: positive-rate, by: group, gap: true, level: 0.3${more} }`;
  const warned = async (requirement: string, rows: (group: string, at: number) => boolean) =>
    (await prepare(readSpec(spec(requirement, { rows })))).prepared.summary!.warnings;
  // Of A all, of B three.
  const fewOfB = (group: string, at: number): boolean => group === "A" || (group === "B" && at < 3);

  test("is named where the few are what a group is compared with", async () => {
    expect(await warned(gap(", only: [A]"), fewOfB)).toEqual([
      expect.stringMatching(
        /^g \[group=A\]: compared with \d rows? of other groups, .*level of 0\.3; ask .*, or add rows of other groups\.$/,
      ),
    ]);
  });

  test("is named once where they are asked about too", async () => {
    const all = await warned(gap(""), fewOfB);
    expect(all).toHaveLength(1);
    expect(all[0]).toMatch(/^g \[group=B\]: counted on /);
  });
});

test("a level finer than one row of many is named too, and a level that counts can tell is not", async () => {
  const warned = async (level: number) => {
    const file = spec(`misses: { metric: false-negative-rate, level: ${level} }`);
    return (await prepare(readSpec(file))).prepared.summary!.warnings;
  };
  expect(await warned(0.004)).toEqual([
    expect.stringMatching(
      /^misses: counted on \d+ rows, and one row moves it by 0\.0\d\d, which is too coarse for a level of 0\.004; ask for/,
    ),
  ]);
  expect(await warned(0.1)).toEqual([]);
  // No row at all is reported separately.
  expect(await warned(0)).toEqual([]);
});

test.each([
  [parity.replace("0.05", "-0.1"), "it bounds a distance between groups, and -0.1 is below 0"],
  [
    "m: { metric: false-negative-rate, by: group, gap: true, level: -0.1 }",
    "not every group can be at most -0.1",
  ],
  [
    "m: { metric: positive-rate, by: group, gap: true, sense: at least, level: 0.1 }",
    "not every group can be at least 0.1 beside the rest",
  ],
])("a gap that no groups can have is refused: %s", async (requirement, sentence) => {
  await expect(prepare(readSpec(spec(requirement)))).rejects.toThrow(sentence);
});

test("one group may be asked to be below the rest, or below it by less than so much", async () => {
  for (const asked of ["only: [A], level: -0.1", "sense: at least, level: -0.1"])
    await prepare(readSpec(spec(`m: { metric: positive-rate, by: group, gap: true, ${asked} }`)));
});

describe("rows that a linear model separates", () => {
  const misses = "misses: { metric: false-negative-rate, level: 0.2 }";

  test.each([
    ["have no best weights, and nothing is certified", misses, false],
    [
      "nor under a price, on mistakes that no row makes",
      "misses: { metric: false-negative-rate, level: 0, hard: true }",
      true,
    ],
  ])("%s", async (_, asked, priced) => {
    const report = await trained(spec(asked, { noise: 0 }));
    expect(report.train.error!.value).toBe(0);
    expect(report.requirements.misses.price > 0).toBe(priced);
    expect(report.certificate.holds).toBe(false);
    const text = reportText(report);
    expect(text).toMatch(
      /^Not certified: the model classifies all 120 training rows correctly, so larger weights always lower the loss and it has no minimum: set objective\.decay=0\.01 or so, or let data\.validation=0\.2 choose a decay\. Relaxations and prices are unknown/,
    );
    expect(text).not.toContain("the objective still falls");
  });

  test("have with a decay", async () => {
    const report = await trained(spec(misses, { noise: 0, objective: "objective: { decay: 0.01 }" }));
    expect(report.certificate.holds).toBe(true);
  });
});
