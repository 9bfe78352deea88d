// A real report with one field damaged gives no verdict, whichever field of a requirement or of the certificate that is, and however.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { builtCommand } from "../../cli/test/fixtures/command.js";
import { smallLoans } from "../../cli/test/fixtures/loans.js";
import { once } from "../../cli/test/fixtures/once.js";
import { overviewOf } from "../page/src/words/overview.js";
import { standingOf } from "../page/src/words/standing.js";
import type { RunDetail } from "../src/api.js";
import { lookAt } from "../src/look.js";

let run: object;
let report: string;
beforeAll(async () => {
  const main = await builtCommand();
  const folder = await once("fail-closed", async (made) => {
    const settings = ["decision.threshold=0.5", "budget.tolerance=0.1"].flatMap((one) => ["--set", one]);
    const options = ["--device", "cpu", "--no-insist", ...settings, "--out", join(made, "run")];
    execFileSync(process.execPath, [main, "train", smallLoans().spec, ...options], { stdio: "ignore" });
  });
  const read = (file: string): string => readFileSync(join(folder, "run", file), "utf8");
  run = JSON.parse(read("run.json"));
  report = read("report.json");
});

type Json = Record<string, unknown>;
interface Report extends Json {
  certificate: Json;
  requirements: Record<string, Json>;
}

function told(damage: (report: Report) => void): { tone: string; words: string } {
  const damaged = JSON.parse(report) as Report;
  damage(damaged);
  const { summary } = lookAt("a", {
    ...{ run: run as Json, report: damaged, note: { title: "", tags: [], notes: "" }, updated: 0 },
    standing: (unreadable) => ({ status: unreadable ? "unreadable" : "finished", problem: unreadable }),
  });
  const detail = { summary, path: "a", again: "b", run, report: damaged, files: [], spec: null };
  const words = overviewOf(detail as unknown as RunDetail).headline?.join("") ?? "";
  return { tone: standingOf(summary).tone, words };
}
const noVerdict = { tone: "bad", words: expect.stringMatching(/^No verdict: .*no verdict is given/) };
const names = (): string[] => Object.keys((JSON.parse(report) as Report).requirements);

test("the run as it is has a verdict", () => {
  expect(names().length).toBeGreaterThan(2);
  expect(told(() => {}).tone).not.toBe("bad");
});

const damaged = (types: readonly string[]): unknown[] =>
  [null, "NaN", {}, [], 1, true].filter(
    (value) => !types.includes(value === null ? "null" : Array.isArray(value) ? "array" : typeof value),
  );
const read: Readonly<Record<string, readonly string[]>> = {
  ...{ level: ["number"], reached: ["number"], relaxation: ["number"], price: ["number"] },
  ...{ strict: ["number"], allowance: ["number"], hard: ["boolean"], cost: ["string"], of: ["string"] },
  ...{ sense: [], status: [], pricedBy: [] },
};
test.each(Object.entries(read))("%s of any requirement", (key, types) => {
  for (const name of names())
    for (const value of damaged(types))
      expect(
        told(({ requirements }) => {
          requirements[name][key] = value;
        }),
      ).toEqual(noVerdict);
});

test.each(["level", "reached", "relaxation", "price"])("%s that is missing", (key) => {
  for (const name of names()) expect(told((one) => delete one.requirements[name][key])).toEqual(noVerdict);
});

test("a requirement of the spec that is gone, or all of them", () => {
  expect(told((one) => delete one.requirements["false alarms"])).toEqual(noVerdict);
  expect(told((one) => delete (one as Json).requirements)).toEqual(noVerdict);
  for (const value of [null, {}, [], "none", 0])
    expect(told((one) => Object.assign(one, { requirements: value }))).toEqual(noVerdict);
});

test("the certificate", () => {
  for (const value of [null, [], "yes", true, 1])
    expect(told((one) => Object.assign(one, { certificate: value }))).toEqual(noVerdict);
  for (const value of damaged(["boolean"]))
    expect(told(({ certificate }) => Object.assign(certificate, { holds: value }))).toEqual(noVerdict);
  // Without one, or with an empty one, nothing is said to be certified.
  for (const value of [undefined, {}])
    expect(told((one) => Object.assign(one, { certificate: value })).tone).not.toBe("good");
});
