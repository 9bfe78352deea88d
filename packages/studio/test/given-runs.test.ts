// Run folders that somebody else gave: nothing in them runs, asks an address, stops a process, or stops the server.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtCommand } from "../../cli/test/fixtures/command.js";
import { smallLoans } from "../../cli/test/fixtures/loans.js";
import { csvOf } from "../page/src/figure/lines.js";
import { type HeldOut, heldOutFrom, type ModelView, viewOf } from "../src/held-out.js";
import { readMetrics } from "../src/metrics.js";
import { type Question, questionsTo } from "../src/questions.js";
import { rowsBehind } from "../src/rows-behind.js";
import { createStudio } from "../src/studio.js";
import { endless, temporaryFolder, writeRun } from "./fixtures.js";

const folder = temporaryFolder();
const runs = join(folder.path, "runs");
const token = "of the page";
const headers = { host: "localhost", "content-type": "application/json" };
const begun: ChildProcess[] = [];
let main: string;
let studio: ReturnType<typeof createStudio>;
let questions: ReturnType<typeof questionsTo>;

beforeAll(async () => {
  mkdirSync(runs);
  main = await builtCommand();
  questions = questionsTo([process.execPath, main]);
  studio = createStudio({ runs, page: folder.path, questions, pageToken: token });
});
afterAll(async () => {
  questions.close();
  for (const child of begun) child.kill("SIGKILL");
  folder.remove();
});

const get = async (path: string, more: Record<string, string> = {}) =>
  studio(new Request(`http://localhost/api/${path}`, { headers: { ...headers, ...more } }));
const post = async (path: string, body: object) =>
  studio(
    new Request(`http://localhost/api/${path}`, {
      method: "POST",
      headers: { ...headers, "x-pliant-page": token },
      body: JSON.stringify(body),
    }),
  );

describe("a question about a level", () => {
  const trained = async (name: string): Promise<string> => {
    const out = join(runs, name);
    const words = [main, "train", smallLoans().spec, "--device", "cpu", "--out", out, "--no-insist"];
    await once(spawn(process.execPath, [...words, "--set", "budget.steps=50"], { stdio: "ignore" }), "exit");
    return out;
  };
  const asked = async (name: string): Promise<Question> => {
    const report = JSON.parse(readFileSync(join(runs, name, "report.json"), "utf8"));
    // What is counted at a threshold is asked without training.
    report.certificate.holds = true;
    writeFileSync(join(runs, name, "report.json"), JSON.stringify(report));
    const sent = { name, requirement: "false alarms", level: 0.1 };
    const { id }: Question = await (await post("questions", sent)).json();
    const state = async (): Promise<Question> =>
      ((await (await get("questions")).json()) as Question[]).find((one) => one.id === id)!;
    await expect.poll(async () => (await state()).state).toMatch(/answered|failed/);
    return state();
  };

  test("runs no code that the run's spec names, and says which file that would be", async () => {
    const out = await trained("own");
    writeFileSync(
      join(out, "evil.mjs"),
      `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(join(folder.path, "ran"))}, "");\nexport default { name: "x", trained: () => 0 };\n`,
    );
    const spec = readFileSync(join(out, "spec.yaml"), "utf8");
    writeFileSync(
      join(out, "spec.yaml"),
      spec.replace("requirements:\n", "requirements:\n  own one: { metric: own, use: evil.mjs, level: 1 }\n"),
    );
    const { state, problem } = await asked("own");
    expect(existsSync(join(folder.path, "ran"))).toBe(false);
    expect([state, problem]).toEqual(["failed", expect.stringContaining("evil.mjs")]);
  });

  test("asks no address that the run's spec names", async () => {
    let heard = 0;
    const server = createServer((_, response) => {
      heard++;
      response.end("a,b\n");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const out = await trained("address");
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/loans.csv`;
    const spec = readFileSync(join(out, "spec.yaml"), "utf8");
    writeFileSync(join(out, "spec.yaml"), spec.replace(/^(\s*file:) .*$/m, `$1 ${address}`));
    const { state } = await asked("address");
    expect([heard, state]).toEqual([0, "failed"]);
    server.close();
  });
});

describe("stopping", () => {
  const mark = (name: string, id: number | undefined, since: Date): void => {
    const at = writeRun(runs, name, { finished: false });
    const text = JSON.stringify({ process: id, host: hostname(), since: since.toISOString() });
    writeFileSync(join(at, "at-work.json"), text);
  };
  test.skipIf(process.platform !== "linux")(
    "reaches no process but one of pliant that trains, and was there when the run began",
    async () => {
      // It waits for ever, and has the words in its arguments.
      const program = join(folder.path, "pliant-notes.cjs");
      writeFileSync(program, "setInterval(() => {}, 1000);");
      const foreign = spawn(process.execPath, [program, "pliant", "train"], { stdio: "ignore" });
      const words = ["train", smallLoans().spec, "--device", "cpu", "--out", join(runs, "other"), ...endless];
      const own = spawn(process.execPath, [main, ...words], { stdio: "ignore" });
      // Pliant, which does not train.
      const looking = join(folder.path, "pliant.js");
      writeFileSync(looking, "setInterval(() => {}, 1000);");
      const other = spawn(process.execPath, [looking, "studio"], { stdio: "ignore" });
      begun.push(foreign, own, other);
      await expect.poll(() => existsSync(join(runs, "other", "at-work.json"))).toBe(true);
      mark("foreign", foreign.pid, new Date());
      mark("looking", other.pid, new Date());
      // The number was given to another process since.
      mark("again", own.pid, new Date(Date.now() - 60_000));
      for (const name of ["foreign", "looking", "again"])
        expect((await post("stop", { name })).status).toBe(409);
      expect([foreign.exitCode, other.exitCode, own.exitCode]).toEqual([null, null, null]);
      const ended = once(own, "exit");
      expect((await post("stop", { name: "other" })).status).toBe(200);
      await ended;
    },
  );
});

describe("files that are made to be heavy", () => {
  test("JSON that is nested without an end is not read, and other runs are", async () => {
    const nested = `{"command":"train","name":"deep","spec":${'{"a":'.repeat(9000)}1${"}".repeat(9001)}`;
    for (const name of ["deep-1", "deep-2"]) {
      mkdirSync(join(runs, name), { recursive: true });
      writeFileSync(join(runs, name, "run.json"), nested);
    }
    writeRun(runs, "sound");
    expect((await get("runs")).status).toBe(200);
    for (const name of ["sound", "deep-1"]) expect((await get(`run?name=${name}`)).status).toBe(200);
    expect((await (await get("run?name=deep-1")).json()).summary.problem).toContain("nested");
  });

  const heldOut = (values: number, rows = 400) => ({
    rows,
    of: "test",
    score: Array.from({ length: rows }, (_, i) => i / rows),
    probability: Array.from({ length: rows }, (_, i) => i / rows),
    target: Array.from({ length: rows }, (_, i) => i % 2),
    groups: { id: Array.from({ length: rows }, (_, i) => i % values) },
    values: { id: Array.from({ length: values }, (_, i) => `v${i}`) },
    importance: [],
    effects: [],
  });

  test("a column of very many values is no column of groups", () => {
    const groups = (values: number) => viewOf(heldOutFrom(heldOut(values)) as HeldOut).groups.length;
    expect([groups(20), groups(100_000)]).toEqual([21, 1]);
  });

  test("requirements that come with every line cost no more memory than the lines", async () => {
    const path = join(folder.path, "metrics.jsonl");
    const lines = Array.from({ length: 20_000 }, (_, i) => {
      const r = { level: 1, reached: 0, relaxation: 0, price: 0, sense: "at most", cost: "hard" };
      return JSON.stringify({ step: i, objective: 1, requirements: { [`r${i}`]: r } });
    });
    writeFileSync(path, `${lines.join("\n")}\n`);
    const metrics = readMetrics(path);
    await metrics.refresh();
    expect(metrics.table.rows).toBe(20_000);
    // Each that is kept has a number for every line before it.
    expect(metrics.table.requirements.size).toBeLessThan(3000);
  });

  test("a group that does not exist has no rows, whatever it is called", () => {
    const rows = heldOutFrom(heldOut(2)) as HeldOut;
    const count = (column: string) =>
      rowsBehind(rows, [], { column, value: "x", cell: "trueNegatives", threshold: 2 }).count;
    expect(["nix", "__proto__", "constructor"].map(count)).toEqual([0, 0, 0]);
    expect(count("")).toBe(200);
  });

  test("a swept value that is no value is none", async () => {
    writeRun(runs, "odd-sweep", { more: { sweep: { parameter: "a", group: "g", value: { toString: 1 } } } });
    expect((await get("run?name=odd-sweep")).status).toBe(200);
  });
});

describe("rows of the data", () => {
  const rows = 400;
  const file = () => {
    const at = writeRun(runs, "rows");
    const group = Array.from({ length: rows }, (_, i) => (i === 7 ? 2 : i % 2));
    writeFileSync(
      join(at, "held-out.json"),
      JSON.stringify({
        ...{ rows, of: "test", importance: [], effects: [], threshold: 0.4567891 },
        score: Array.from({ length: rows }, (_, i) => Math.sin(i)),
        probability: Array.from({ length: rows }, (_, i) => (1 + Math.sin(i)) / 2),
        target: Array.from({ length: rows }, (_, i) => i % 2),
        groups: { sex: group },
        values: { sex: ["f", "m", "the only one"] },
      }),
    );
    writeFileSync(join(at, "rows.csv"), "part,line\ntest,2\n");
  };

  test("are for a page that was opened from the printed address, also on this machine", async () => {
    file();
    const asked = ["file?name=rows&file=rows.csv", "file?name=rows&file=held-out.json"];
    const cell = "rows?name=rows&cell=trueNegatives&threshold=0&column=&value=";
    for (const path of [...asked, cell]) {
      expect([path, (await get(path)).status]).toEqual([path, 403]);
      const told = await get(path, { "x-pliant-page": token });
      expect([path, told.status, told.headers.get("cache-control")]).toEqual([path, 200, "no-store"]);
    }
    expect((await get("file?name=rows&file=report.json")).status).toBe(200);
  });

  test("cannot be put together from the counts that others are given", async () => {
    file();
    const shared = createStudio({ runs, page: folder.path, readOnly: true });
    const answer = await shared(new Request("http://localhost/api/model?name=rows", { headers }));
    const view: ModelView = await answer.json();
    const scores = new Set(Array.from({ length: rows }, (_, i) => Math.sin(i)));
    expect(view.edges.filter((edge) => scores.has(edge))).toEqual([]);
    expect(view.edges.length).toBeLessThanOrEqual(rows / 10 + 3);
    expect(view.groups.map(({ value }) => value)).not.toContain("the only one");
    for (const { reliability } of view.groups)
      for (const bin of reliability) expect(bin.rows).toBeGreaterThanOrEqual(10);
    // The owner's own page has all of it.
    const own: ModelView = await (await get("model?name=rows")).json();
    expect(own.groups.map(({ value }) => value)).toContain("the only one");
  });
});

test("a text that a spreadsheet would work out is kept as a text in a table that is saved", () => {
  const rows = [
    [1, "=1+1"],
    [-2, "+x"],
  ] as const;
  expect(csvOf({ columns: ["@a", '=HYPERLINK("x","y")'], rows })).toBe(
    `'@a,"'=HYPERLINK(""x"",""y"")"\r\n1,'=1+1\r\n-2,'+x\r\n`,
  );
});
