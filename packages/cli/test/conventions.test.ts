// Conventions that scripts rely on: exit codes, --json with errors as JSON, - for standard streams, completions, colours.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { InputError, NetworkError, PliantError } from "@pliant/core";
import { EngineError } from "@pliant/engine";
import { Interrupted } from "@pliant/learn/runs";
import { beforeAll, describe, expect, test } from "vitest";
import type { HelpAsked } from "../src/arguments.js";
import { hasColours, paint } from "../src/colours.js";
import { commands } from "../src/commands.js";
import { subcommands } from "../src/completions.js";
import { failureOf } from "../src/failure.js";
import { withInput } from "../src/streams.js";
import { nameOf } from "../src/training/folders.js";
import { builtCommand } from "./fixtures/command.js";
import { smallLoans } from "./fixtures/loans.js";
import { pliant } from "./fixtures/said.js";

describe("exit codes", () => {
  test.each([
    [new InputError("a"), 2, "usage"],
    [new PliantError("a"), 3, "failed"],
    [new EngineError("a"), 3, "failed"],
    [new NetworkError("a"), 4, "network"],
    [new Interrupted("a", "signal"), 130, "interrupted"],
    [new Interrupted("a", "deadline"), 3, "failed"],
    [Object.assign(new Error("Unknown option '-x'"), { code: "ERR_PARSE_ARGS_UNKNOWN_OPTION" }), 2, "usage"],
  ])("%s ends a command with %s", (error, exit, kind) => {
    expect(failureOf(error)).toMatchObject({ exit, kind });
  });

  test("an unexpected error shows its stack", () => {
    expect(failureOf(new TypeError("x is undefined")).message).toMatch(/^TypeError: x is undefined\n +at /);
  });
});

describe("unknown commands", () => {
  test("are answered in two lines", async () => {
    const { stderr, stdout, status } = await pliant("trian", "x.yaml");
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
    expect(stderr).toContain('did you mean "train"?');
  });

  test.each(["constructor", "__proto__", "toString"])("%s is one", async (name) => {
    expect((await pliant(name)).status).toBe(2);
  });
});

describe("--json", () => {
  const federation = "demo simulate inspect schema serve invite join remove status audit".split(" ");
  const experiments = ["all", "page", "theory", "invariance", "federated"];
  test.each([
    ...Object.keys(commands).filter((name) => name !== "reproduce"),
    ...federation.map((name) => `federate ${name}`),
    ...experiments.map((name) => `reproduce ${name}`),
  ])("pliant %s has it", async (command) => {
    const [name, ...words] = command.split(" ");
    const asked = await commands[name].run([...words, "--help"]).catch((reason: unknown) => reason);
    expect(Object.keys((asked as HelpAsked).form!.options)).toContain("json");
  });

  test("is accepted by every subcommand of federate", async () => {
    const asked = (await commands.federate.run(["--help"]).catch((reason: unknown) => reason)) as HelpAsked;
    expect(subcommands(asked.form!.usage)).toEqual(federation);
  });

  test.each([
    ["train", "none.yaml"],
    ["report", "none"],
    ["doctor", "--colour"],
    ["trian"],
    ["federate"],
    ["federate", "sreve"],
    ["federate", "invite", "none", "--site", "a"],
    ["federate", "join", "none.code", "--data", "none.csv"],
    ["federate", "schema", "none.json", "--target", "y"],
    ["federate", "inspect", "none.csv"],
    ["reproduce", "page", "--runs", "none"],
  ])("makes an error of pliant %s one JSON object on standard output", async (...args) => {
    const { stdout, stderr, status } = await pliant(...args, "--json");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({ error: { kind: "usage", exit: 2, message: expect.any(String) } });
    expect(status).toBe(2);
  });
});

describe("-", () => {
  let main: string;
  beforeAll(async () => {
    main = await builtCommand();
  });
  const { folder, spec, csv } = smallLoans({ rows: 300 });
  const started = (input: string, ...args: string[]) =>
    spawnSync(process.execPath, [main, ...args], { cwd: folder, input, encoding: "utf8" });

  test("is the spec of pliant train, with paths relative to the current folder", () => {
    const args = ["train", "-", "--out", "run", "--set", "budget.steps=20", "--no-insist", "--json"];
    const { status, stdout, stderr } = started(readFileSync(spec, "utf8"), ...args);
    expect(status, stderr).toBe(0);
    expect(Object.keys(JSON.parse(stdout).requirements)).not.toHaveLength(0);
    expect(existsSync(join(folder, "run", "report.json"))).toBe(true);
  });

  test("is the input and the output of pliant predict", () => {
    const rows = readFileSync(csv, "utf8");
    const { stdout, status, stderr } = started(rows, "predict", "run", "-", "--out", "-");
    expect(status, stderr).toBe(0);
    expect(stdout.trimEnd().split("\n")).toHaveLength(301);
    expect(started("", "predict", "run", "loans.csv").stdout).toBe(stdout);
  });

  test("is the output of pliant schema and pliant card", () => {
    expect(JSON.parse(started("", "schema", "--out", "-").stdout)).toHaveProperty("properties");
    expect(started("", "card", "run", "--out", "-").stdout).toMatch(/^# /);
    expect(existsSync(join(folder, "-"))).toBe(false);
  });

  test("leaves no file behind, on success or failure", async () => {
    const read = withInput("-", async (file) => readFileSync(file, "utf8"), {
      input: Readable.from(["a,b\n"]),
    });
    expect(await read).toBe("a,b\n");
    let kept = "";
    const failing = withInput(
      "-",
      async (file) => {
        kept = file;
        throw new Error("no");
      },
      { input: Readable.from(["a"]) },
    );
    await expect(failing).rejects.toThrow("no");
    expect(existsSync(kept)).toBe(false);
  });

  test("on a terminal is refused instead of waiting", async () => {
    const input = Object.assign(Readable.from([]), { isTTY: true });
    await expect(withInput("-", async () => 0, { input })).rejects.toThrow(InputError);
  });
});

describe("completions", () => {
  test.each(["bash", "zsh", "fish"])("for %s list every command and its options", async (shell) => {
    const { stdout, status } = await pliant("completions", shell);
    expect(status).toBe(0);
    for (const name of Object.keys(commands)) expect(stdout).toContain(name);
    expect(stdout).toMatch(shell === "fish" ? /-l resume/ : /--resume/);
    expect(stdout).toMatch(/fetch/);
  });

  test("are a script that bash runs", async () => {
    const { stdout } = await pliant("completions", "bash");
    const file = join(mkdtempSync(join(tmpdir(), "pliant-")), "completions");
    writeFileSync(
      file,
      `${stdout}COMP_WORDS=(pliant train --no)\nCOMP_CWORD=2\n_pliant\necho "$\{COMPREPLY[@]}"\n`,
    );
    const ran = spawnSync("bash", [file], { encoding: "utf8" });
    if (ran.error) return console.log("Not run: there is no bash here.");
    expect(ran.stderr).toBe("");
    expect(ran.stdout.trim()).toBe("--no-insist");
  });

  test("know the words after a command", () => {
    expect(subcommands("data fetch NAME | check NAME | list")).toEqual(["fetch", "check", "list"]);
    expect(subcommands("train SPEC")).toEqual([]);
  });
});

describe("colours", () => {
  const terminal = { isTTY: true };
  test.each([
    [terminal, {}, true],
    [{ isTTY: false }, {}, false],
    [terminal, { NO_COLOR: "1" }, false],
    [terminal, { TERM: "dumb" }, false],
    [{ isTTY: false }, { FORCE_COLOR: "1" }, true],
    [terminal, { FORCE_COLOR: "0" }, false],
  ])("stream %o with %o: %s", (stream, env, expected) => {
    expect(hasColours(stream, env)).toBe(expected);
  });

  test("leave the text of a pipe as it is", () => {
    expect(paint("red", "text", { isTTY: false })).toBe("text");
  });
});

test.each([
  ["loans.yaml", "loans"],
  ["loans/spec.yaml", "loans"],
  ["stdin-123.yaml", "stdin"],
])("the run of %s is called %s", (path, name) => {
  expect(nameOf(path)).toBe(name);
});
