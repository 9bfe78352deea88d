// Behaviour that all commands share: help, misspelt options, and runs that are not overwritten without --force.
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HelpAsked, readArgs } from "../src/arguments.js";
import { commands } from "../src/commands.js";
import { exampleCommand } from "../src/training/example.js";
import { chosenFolder, refuseUnwritable } from "../src/training/folders.js";
import { trainCommand } from "../src/training/train.js";
import { printed } from "./fixtures/output.js";

describe("help", () => {
  test.each(Object.keys(commands))("pliant %s --help says how it is used, and does nothing", async (name) => {
    const asked = await commands[name].run(["--help"]).catch((reason: unknown) => reason);
    expect(asked).toBeInstanceOf(HelpAsked);
    expect((asked as Error).message).toMatch(new RegExp(`^Usage: pliant ${name}\\b`));
  });

  test.each(["all", "page", "invariance", "federated"])("covers pliant reproduce %s", async (name) => {
    await expect(commands.reproduce.run([name, "--help"])).rejects.toThrow(
      new RegExp(`^Usage: pliant reproduce ${name} `),
    );
  });

  const form = {
    usage: "fly HERE",
    about: "Flies.",
    options: {
      speed: { type: "string", value: "KNOTS", default: "100", about: "how fast" },
      over: { type: "string", multiple: true, about: "what is seen" },
      low: { type: "boolean", about: "near the ground" },
    },
  } as const;

  test("lists every option with its description", () => {
    expect(() => readArgs(["there", "-h"], form)).toThrow(
      [
        "Usage: pliant fly HERE [options]",
        "",
        "Flies.",
        "",
        "  --speed KNOTS  how fast (default: 100)",
        "  --over VALUE   what is seen; repeatable",
        "  --low          near the ground",
      ].join("\n"),
    );
  });

  test("is not requested after --", () => {
    expect(readArgs(["--low", "--", "--help"], form)).toMatchObject({
      values: { low: true, speed: "100" },
      positionals: ["--help"],
    });
  });

  test("a misspelt option", () => {
    expect(() => readArgs(["--sped", "3"], form)).toThrow(
      "unknown option --sped; did you mean --speed? pliant fly --help lists the options.",
    );
  });

  test("unexpected arguments are refused", async () => {
    await expect(commands.doctor.run(["loans"])).rejects.toThrow(
      'unexpected argument "loans"; pliant doctor takes options only.',
    );
  });
});

test("an option that does the same has the same name in every command", async () => {
  const subcommands = {
    federate: "demo simulate inspect schema serve invite join remove status audit".split(" "),
    reproduce: "all page theory invariance federated".split(" "),
  };
  const uses = Object.keys(commands).flatMap((name) => [
    [name],
    ...(subcommands[name as keyof typeof subcommands] ?? []).map((word) => [name, word]),
  ]);
  const names = new Map<string, Set<string>>();
  for (const [name, ...words] of uses) {
    const help = await commands[name].run([...words, "--help"]).catch((reason: unknown) => reason);
    for (const [option, { about }] of Object.entries((help as HelpAsked).form?.options ?? {})) {
      const described = about.replace(/ \(.*|,.*/, "");
      names.set(described, (names.get(described) ?? new Set()).add(option));
    }
  }
  expect(names.size).toBeGreaterThan(50);
  expect([...names].filter(([, same]) => same.size > 1).map(([about, same]) => [about, ...same])).toEqual([]);
});

describe("the run folder", () => {
  const chosen = (
    given: { out?: string; force?: boolean; resume?: boolean },
    finished: string[],
    started: string[] = [],
  ) => {
    const said: string[] = [];
    const folder = chosenFolder(
      { force: false, resume: false, ...given },
      "loans",
      (one, file = "run.json") => (file === "run.json" ? [...finished, ...started] : finished).includes(one),
      (text) => said.push(text),
    );
    return { folder, said: said.join() };
  };

  test("is the next free number, and a message says so", () => {
    expect(chosen({}, []).folder).toBe(join("runs", "loans"));
    expect(chosen({}, [join("runs", "loans")]).folder).toBe(join("runs", "loans-2"));
    expect(chosen({ out: "a" }, ["a", "a-2"])).toEqual({
      folder: "a-3",
      said: "a has a finished run, so this run goes to a-3. To replace the finished run, use --out a --force.",
    });
  });

  test("is replaced with --force and continued with --resume; an unfinished run needs one of them", () => {
    expect(chosen({ out: "a", force: true }, ["a"])).toEqual({ folder: "a", said: "" });
    expect(() => chosen({ out: "a" }, [], ["a"])).toThrow(
      "a has a run that was not finished; resume it with --resume, or replace it with --force.",
    );
    expect(chosen({ out: "a", force: true }, [], ["a"])).toEqual({ folder: "a", said: "" });
    expect(chosen({ out: "a", resume: true }, ["a"])).toEqual({ folder: "a", said: "" });
    expect(chosen({ resume: true }, [join("runs", "loans")]).folder).toBe(join("runs", "loans"));
  });

  test("is refused before anything is read if it cannot be created", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pliant-"));
    const [file, spec] = [join(folder, "notes"), join(folder, "spec.yaml")];
    writeFileSync(file, "");
    writeFileSync(
      spec,
      "data: { file: none.csv, target: y }\nmodel: { kind: linear }\nrequirements: { r: { metric: error, level: 0.1 } }\n",
    );
    const out = join(file, "deep", "run");
    await expect(trainCommand([spec, "--out", out])).rejects.toThrow(
      `the run folder ${out} cannot be made, as ${file} is a file.`,
    );
    refuseUnwritable(join(folder, "deep", "run"));
    expect(readdirSync(folder).sort()).toEqual(["notes", "spec.yaml"]);
    if (existsSync("/proc/self"))
      expect(() => refuseUnwritable("/proc/run")).toThrow("nothing may be written to /proc.");
  });

  test("cannot be chosen by --force alone, or with --resume", () => {
    expect(() => chosen({ force: true }, [])).toThrow(/name the folder with --out/);
    expect(() => chosen({ out: "a", force: true, resume: true }, [])).toThrow(/leave out one of them/);
  });
});

test("an example does not overwrite changed files", async () => {
  const out = join(mkdtempSync(join(tmpdir(), "pliant-")), "svm");
  const write = (...more: string[]) => printed(() => exampleCommand(["svm", "--out", out, ...more]));
  await write();
  await write();
  const spec = join(out, "spec.yaml");
  const own = readFileSync(spec, "utf8");
  writeFileSync(spec, `${own}# mine\n`);
  await expect(write()).rejects.toThrow(`${spec} exists and differs from the example's`);
  await write("--force");
  expect(readFileSync(spec, "utf8")).toBe(own);
});
