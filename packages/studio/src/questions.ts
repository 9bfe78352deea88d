// Questions that the page asks of `pliant insist`: what a level would cost. One runs at a time, in a process of its own, which ends when
// the question is cancelled. Answers are kept beside the run, in insisted.json, and are read from there afterwards.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Fields, fields, isNumber, text } from "./fields.js";
import { textOf, writeWhole } from "./files.js";
import { type Insisted, insistedFile, insistedFrom, insistedIn, withoutTwins } from "./insisted.js";
import { refuse } from "./places.js";

export interface Question {
  readonly id: string;
  /** The run, by the name it has in the list. */
  readonly run: string;
  readonly requirement: string;
  readonly level: number;
  readonly state: "waiting" | "running" | "answered" | "failed" | "cancelled";
  /** How many stand before it. */
  readonly ahead: number;
  /** How long it has run, in milliseconds. */
  readonly elapsed: number;
  /** How long earlier questions took on average, where there were some. */
  readonly expected: number | null;
  readonly answer: Insisted | null;
  readonly problem: string | null;
}

export interface Asked {
  readonly run: string;
  readonly folder: string;
  readonly requirement: string;
  readonly level: number;
}

export interface Questions {
  ask(asked: Asked): Question;
  cancel(id: string): Question;
  list(): Question[];
  /** Ends what runs. */
  close(): void;
}

/** More would be a mistake, or somebody else's page. */
const mostOpen = 20;
/** Questions that are over stay in the list, so that a page that was away sees what became of them. */
const mostOver = 50;

interface Entry extends Asked {
  readonly id: string;
  state: Question["state"];
  began?: number;
  took?: number;
  process?: ChildProcess;
  answer?: Insisted;
  problem?: string;
}

const begin = ({ folder, requirement, level }: Asked, program: string, words: readonly string[]) =>
  // After "--" nothing is an option, whatever a requirement is called.
  spawn(program, [...words, "insist", "--json", "--", folder, requirement, String(level)], {
    stdio: ["ignore", "pipe", "pipe"],
    // A run folder may have come from others: no code in it runs, and no address in it is asked.
    env: { ...process.env, PLIANT_GIVEN: "1" },
  });

/** `command` are the words before `insist`: the program that runs pliant. */
export function questionsTo(command: readonly string[] | undefined): Questions {
  const entries: Entry[] = [];
  const isOpen = ({ state }: Entry): boolean => state === "waiting" || state === "running";

  const told = (entry: Entry): Question => {
    const done = entries.flatMap(({ state, took }) =>
      state === "answered" && took !== undefined ? [took] : [],
    );
    return {
      ...{ id: entry.id, run: entry.run, requirement: entry.requirement, level: entry.level },
      state: entry.state,
      ahead: entry.state === "waiting" ? entries.slice(0, entries.indexOf(entry)).filter(isOpen).length : 0,
      elapsed: entry.took ?? (entry.began === undefined ? 0 : Date.now() - entry.began),
      expected: done.length > 0 ? done.reduce((a, b) => a + b, 0) / done.length : null,
      answer: entry.answer ?? null,
      problem: entry.problem ?? null,
    };
  };
  const end = (entry: Entry, state: Question["state"], more: Partial<Entry> = {}): void => {
    Object.assign(entry, {
      state,
      ...more,
      took: Date.now() - (entry.began ?? Date.now()),
      process: undefined,
    });
    const over = entries.filter((one) => !isOpen(one));
    for (const old of over.slice(0, Math.max(0, over.length - mostOver)))
      entries.splice(entries.indexOf(old), 1);
    next();
  };
  const next = (): void => {
    const entry = entries.find(({ state }) => state === "waiting");
    if (!entry || !command || entries.some(({ state }) => state === "running")) return;
    const [program, ...words] = command;
    const { folder, requirement, level } = entry;
    let child: ReturnType<typeof begin>;
    try {
      child = begin(entry, program, words);
    } catch (reason) {
      // Words that no program can be started with.
      end(entry, "failed", { problem: `pliant insist did not start: ${(reason as Error).message}` });
      return;
    }
    Object.assign(entry, { state: "running", began: Date.now(), process: child });
    const output = gather(child);
    child.once("error", (reason) => {
      if (entry.state === "running")
        end(entry, "failed", { problem: `pliant insist did not start: ${reason.message}` });
    });
    child.once("close", async (code) => {
      if (entry.state !== "running") return;
      const { out, err } = output();
      const answer = code === 0 ? insistedFrom(parsed(out), { requirement, level }) : undefined;
      // With --json the command says what went wrong as JSON too.
      const problem = text(fields(fields(parsed(out)).error).message)?.slice(0, 500) || lastLine(err);
      if (!answer) return end(entry, "failed", { problem: problem || "pliant insist gave no answer." });
      await keepInsisted(folder, answer).catch(() => {});
      end(entry, "answered", { answer });
    });
  };

  return {
    ask(asked) {
      if (!command)
        throw refuse(
          409,
          "This Studio cannot ask: it was not started by the pliant command. Run pliant insist yourself.",
        );
      const open = entries.filter(isOpen);
      const same = open.find(
        ({ folder, requirement, level }) =>
          folder === asked.folder && requirement === asked.requirement && level === asked.level,
      );
      if (same) return told(same);
      if (open.length >= mostOpen)
        throw refuse(
          409,
          `${mostOpen} questions are waiting already; cancel some, or wait for their answers.`,
        );
      const entry: Entry = { ...asked, id: randomBytes(6).toString("hex"), state: "waiting" };
      entries.push(entry);
      next();
      return told(entry);
    },
    cancel(id) {
      const entry = entries.find((one) => one.id === id);
      if (!entry) throw refuse(404, "There is no such question.");
      if (isOpen(entry)) {
        const { process: child } = entry;
        end(entry, "cancelled");
        child?.kill("SIGKILL");
      }
      return told(entry);
    },
    list: () => entries.map(told),
    close() {
      for (const entry of entries.filter(isOpen)) {
        entry.state = "cancelled";
        entry.process?.kill("SIGKILL");
      }
    },
  };
}

/** What was asked, checked. */
export function questionFrom(sent: Fields, report: unknown): { requirement: string; level: number } {
  const { requirement, level } = sent;
  const known = fields(fields(report).requirements);
  if (typeof requirement !== "string" || !Object.hasOwn(known, requirement))
    throw refuse(400, "The request names no requirement of the run.");
  if (!isNumber(level)) throw refuse(400, "The level is not a finite number.");
  return { requirement, level };
}

/** An answer is some hundred letters; a process that says more than this is cut off. */
const longest = 1 << 20;

function gather({ stdout, stderr }: ChildProcess): () => { out: string; err: string } {
  const said = { out: "", err: "" };
  stdout?.setEncoding("utf8").on("data", (text: string) => {
    if (said.out.length < longest) said.out += text;
  });
  stderr?.setEncoding("utf8").on("data", (text: string) => {
    said.err = (said.err + text).slice(-longest);
  });
  return () => said;
}

const lastLine = (text: string): string =>
  text
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^pliant: /, "")
    .slice(0, 500) ?? "";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** More than a hand asks for. */
const mostKept = 1000;

/** A newer answer takes the place of an older one. */
export async function keepInsisted(folder: string, answer: Insisted): Promise<void> {
  const place = join(folder, insistedFile);
  const before = parsed((await textOf(place, longest)) ?? "");
  const answers = withoutTwins([answer, ...insistedIn({}, before)]).slice(0, mostKept);
  await writeWhole(place, `${JSON.stringify({ answers }, null, 2)}\n`);
}
