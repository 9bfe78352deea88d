// Runs that ended before they were finished, made by the real command: one that failed says why, one that was killed says so, one that
// was stopped goes on.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { builtCommand } from "../../cli/test/fixtures/command.js";
import { smallLoans } from "../../cli/test/fixtures/loans.js";
import { overviewOf } from "../page/src/words/overview.js";
import type { RunDetail } from "../src/api.js";
import { createStudio } from "../src/studio.js";
import { endless, temporaryFolder } from "./fixtures.js";

const folder = temporaryFolder();
const runs = join(folder.path, "runs");
let main: string;
beforeAll(async () => {
  mkdirSync(runs);
  main = await builtCommand();
});
afterAll(() => folder.remove());

const told = async (name: string): Promise<RunDetail> => {
  const studio = createStudio({ runs, page: folder.path });
  const request = new Request(`http://localhost/api/run?name=${name}`, { headers: { host: "localhost" } });
  return (await (await studio(request)).json()) as RunDetail;
};
const train = (name: string, ...more: string[]) =>
  spawn(
    process.execPath,
    [
      main,
      "train",
      smallLoans().spec,
      "--device",
      "reference",
      "--out",
      join(runs, name),
      "--no-insist",
      ...more,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
const begun = (name: string) =>
  vi.waitUntil(() => existsSync(join(runs, name, "metrics.jsonl")), { timeout: 100_000 });

test("a run that fails says why, as the command did", async () => {
  // The solver diverges at this rate, and says so.
  const child = train("failed", "--set", "budget.rate=1e30", "--set", "objective.decay=0");
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const [code] = await once(child, "exit");
  expect(code).toBe(3);
  const detail = await told("failed");
  expect(detail.summary.status).toBe("failed");
  expect(said).toContain(detail.summary.problem);
  const { headline, next } = overviewOf(detail);
  expect(headline?.[0]).toBe("It failed");
  expect(headline?.[1]).toContain(detail.summary.problem);
  expect(next?.command).toMatch(/^npx pliant train .*spec\.yaml/);
});

test("a run that was killed says so, and how it goes on", async () => {
  const child = train("killed", ...endless);
  await begun("killed");
  child.kill("SIGKILL");
  await once(child, "exit");
  const detail = await told("killed");
  expect(detail.summary).toMatchObject({ status: "killed", problem: null });
  const { headline, next } = overviewOf(detail);
  expect(headline?.[0]).toBe("It was killed");
  expect(next?.command).toContain("--resume");
});

test("a run that was stopped did not fail", async () => {
  const child = train("stopped", ...endless);
  await begun("stopped");
  child.kill("SIGINT");
  await once(child, "exit");
  const detail = await told("stopped");
  expect(detail.summary).toMatchObject({ status: "stopped", problem: null });
  // The command that is offered is one that the command takes.
  const command = overviewOf(detail).next?.command ?? "";
  const words = command.split(" ").slice(2);
  const again = spawn(process.execPath, [main, ...words, "--set", "budget.steps=1"], { stdio: "pipe" });
  let refused = "";
  again.stderr.on("data", (text) => {
    refused += text;
  });
  await once(again, "exit");
  // Another budget is refused as another spec, after everything else was understood.
  expect(refused).toContain("was started with another budget");
});

test("a run that failed and was resumed is no longer shown as failed", () => {
  const mark = join(runs, "failed", "at-work.json");
  const { failed } = JSON.parse(readFileSync(mark, "utf8"));
  expect(typeof failed).toBe("string");
  writeFileSync(join(runs, "failed", "report.json"), "{}");
  // What its report lacks is another matter.
  return expect(told("failed").then(({ summary }) => summary.status)).resolves.toBe("unreadable");
});
