// A report of which something cannot be read gives no verdict: what is missing is named, and nothing is said to hold.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answersOf } from "../page/src/words/answers.js";
import { overviewOf } from "../page/src/words/overview.js";
import { resultsOf } from "../page/src/words/said.js";
import { headline, verdictWords } from "../page/src/words/verdict.js";
import type { RunDetail } from "../src/api.js";
import { unreadableIn } from "../src/readable.js";
import { requirement, writeRun } from "./fixtures.js";
import { get, list, runs, serveEach } from "./served.js";

const good = requirement({});
const wrong: Readonly<Record<string, unknown>> = {
  "has no price that is a number": { ...good, price: null },
  "has no level that is a number": { ...good, level: "0.1" },
  "has no value reached that is a number": { ...good, reached: null },
  "has no relaxation that is a number": { ...good, relaxation: undefined },
  'has an unknown sense, "about"': { ...good, sense: "about" },
  "has an unknown status, 3": { ...good, status: 3 },
  'has an unknown status, "oops"': { ...good, status: "oops" },
  "has hard that is not a truth value": { ...good, hard: "false" },
  "has strict that is not a number": { ...good, strict: null },
  "has cost that is not text": { ...good, cost: null },
  "is not an object": null,
};

describe.each(Object.entries(wrong))("a requirement that %s", (why, bad) => {
  const report = { certificate: { holds: true }, requirements: { good, bad } };
  const results = resultsOf(report);

  test("is shown as unreadable, and nothing is said to hold", () => {
    expect(Object.keys(results)).toEqual(["good", "bad"]);
    expect(verdictWords(results.bad)).toBe("unreadable");
    expect(results.bad.said).toMatchObject({ gave: "?", price: "?", sentence: `cannot be read: it ${why}.` });
    expect(headline(results).join("")).toBe(
      `bad cannot be read in the report, so no verdict is given: it ${why}.`,
    );
    expect(answersOf(results)).toEqual([]);
  });
});

describe("a report", () => {
  test.each([
    [{ requirements: [good] }, "has requirements that are not an object"],
    [{ requirements: {}, certificate: "yes" }, "has a certificate that is not an object"],
    [{ certificate: { holds: null, tolerance: 1e-3 } }, "does not say whether its certificate holds"],
    [
      { certificate: { holds: true, stationarity: null } },
      "is certified with stationarity that is not a number",
    ],
  ])("of %j is unreadable", (report, why) => {
    expect(unreadableIn(report)).toEqual([{ why }]);
  });
  test.each([{}, { requirements: { good } }, { certificate: { holds: false, stationarity: null } }, null])(
    "of %j is not",
    (report) => {
      expect(unreadableIn(report)).toEqual([]);
    },
  );
});

describe("a folder", () => {
  serveEach();

  test("with such a report is unreadable in the list, and is not certified", async () => {
    const run = writeRun(runs, "run");
    const write = (report: unknown) => writeFileSync(join(run, "report.json"), JSON.stringify(report));
    write({ certificate: { holds: true }, requirements: { good, bad: { ...good, price: null } } });
    const [found] = await list();
    expect(found).toMatchObject({ status: "unreadable", certified: null, worst: null, violated: false });
    expect(found.problem).toBe(
      "report.json cannot be read in full, so no verdict is given: bad has no price that is a number.",
    );
    const detail = await get<RunDetail>("run", { name: "run" });
    const { headline: said, answers, next } = overviewOf(detail);
    expect([said?.[0], answers]).toEqual(["No verdict", []]);
    expect(next?.words).toBe("Train it again.");
  });

  test.each(["", "{", "[]", "null", "7"])(
    "whose report is %j is not running, nor judged by its log",
    async (text) => {
      writeFileSync(join(writeRun(runs, "run"), "report.json"), text);
      const { summary, report } = await get<RunDetail>("run", { name: "run" });
      expect(summary).toMatchObject({ status: "unreadable", certified: null, worst: null });
      expect(summary.problem).toBe(
        "report.json is damaged: it is not a JSON object, so no verdict is given.",
      );
      expect(report).toBeNull();
    },
  );

  test("that trains is shown as it is, whatever its last line lacks", async () => {
    const run = writeRun(runs, "run", { finished: false, rows: 2 });
    writeFileSync(
      join(run, "metrics.jsonl"),
      `${JSON.stringify({ step: 1, requirements: { bad: { ...good, price: null } } })}\n`,
    );
    const [found] = await list();
    expect(found.status).toBe("running");
    const detail = await get<RunDetail>("run", { name: "run" });
    expect(overviewOf(detail).headline?.join("")).toContain("so no verdict is given");
  });
});
