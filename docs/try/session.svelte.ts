// What the page knows and does: a table, what is asked of a model of it, and the run.
import type { Summary } from "@pliant/train";
import { type Ask, blank, classesOf, firstAsk, specOf } from "./ask.js";
import { Cancelled, openClient } from "./client.js";
import { keep, remembered } from "./kept.js";
import type { News, Table, Trained } from "./messages.js";
import { runIn } from "./zip.js";

export type Work = "reading" | "training";

export function openSession() {
  const client = openClient();
  let table = $state.raw<Table>();
  let summary = $state.raw<Summary>();
  /** Of all rows, also those without a value of the target. */
  let whole = $state.raw<Summary>();
  let ask = $state<Ask>({ ...blank });
  /** The spec as it is written by hand; undefined while the form says what is asked. */
  let spec = $state<string>();
  /** What was written by hand before the way back to the form, and what the form said then. */
  let left: { readonly spec: string; readonly form: string } | undefined;
  let work = $state<Work>();
  let news = $state.raw<News>();
  let problem = $state<string>();
  let run = $state.raw<Trained>();
  let status = $state<"running" | "finished" | "stopped">("finished");
  /** Counted, so that an answer that is late is known. */
  let reading = 0;

  /** A file's name keeps its letters at the beginning of a sentence, too. */
  const sentence = (reason: unknown, file = table?.name): string => {
    const { message } = reason as Error;
    const named = [file, "spec.yaml"].some((name) => name !== undefined && message.startsWith(name));
    return named ? message : message.charAt(0).toUpperCase() + message.slice(1);
  };

  async function inspect(more: {
    table?: Table;
    target?: string;
    groups?: readonly string[];
  }): Promise<Summary | undefined> {
    const turn = ++reading;
    work = "reading";
    problem = undefined;
    try {
      const { table: other, target, groups = [] } = more;
      const found = await client.ask(
        { ask: "inspect", table: other, target, groups: [...groups] },
        (told) => {
          news = told;
        },
      );
      if (turn === reading) summary = found.summary;
      return found.summary;
    } catch (reason) {
      if (turn === reading) problem = sentence(reason, more.table?.name);
      return undefined;
    } finally {
      if (turn === reading) {
        work = undefined;
        news = undefined;
      }
    }
  }

  async function load(other: Table, written?: string): Promise<void> {
    run = undefined;
    const found = await inspect({ table: other });
    table = found && other;
    summary = whole = found;
    if (!found) return;
    ask = firstAsk(found);
    spec = written;
    await keep({ table: other, ask: $state.snapshot(ask), spec, run: undefined });
    if (!written) await look();
  }

  /** With the roles that columns have, as `pliant inspect --target --group` shows them. */
  const look = (): Promise<unknown> => inspect({ target: ask.target, groups: ask.groups });

  const gaps = (): number => whole?.columns.find(({ name }) => name === ask.target)?.missing ?? 0;

  const own = (): object =>
    specOf($state.snapshot(ask), table?.name ?? "", classesOf(summary, ask.target), gaps());

  async function train(): Promise<void> {
    if (!table || work) return;
    work = "training";
    problem = undefined;
    run = undefined;
    status = "running";
    news = { line: "Reading the table" };
    try {
      const text = spec ?? (await client.ask({ ask: "write", spec: own() }));
      run = await client.ask({ ask: "train", table, spec: text, insist: ask.insist }, (told) => {
        news = told;
        if (told.run) run = told.run;
      });
      status = "finished";
      await keep({ run });
    } catch (reason) {
      status = "stopped";
      if (!(reason instanceof Cancelled)) problem = sentence(reason);
    } finally {
      work = undefined;
      news = undefined;
    }
  }

  async function openRun(bytes: Uint8Array): Promise<void> {
    problem = undefined;
    try {
      const found = runIn(bytes);
      const more = found.files.has("model.onnx")
        ? new Map<string, Uint8Array>()
        : await client.ask({ ask: "derive", folder: found.folder, files: found.files });
      run = { ...found, files: new Map([...found.files, ...more]) };
      status = found.files.has("report.json") ? "finished" : "stopped";
      await keep({ run });
    } catch (reason) {
      problem = sentence(reason);
    }
  }

  return {
    get table() {
      return table;
    },
    get summary() {
      return summary;
    },
    get whole() {
      return whole;
    },
    /** Rows without a value of the target. */
    get gaps() {
      return gaps();
    },
    get ask() {
      return ask;
    },
    get spec() {
      return spec;
    },
    get work() {
      return work;
    },
    get news() {
      return news;
    },
    get problem() {
      return problem;
    },
    get run() {
      return run;
    },
    get status() {
      return status;
    },
    load,
    look,
    train,
    openRun,
    cancel: () => client.cancel(),
    async example(name: string) {
      const made = await client.ask({ ask: "example", name });
      await load(made.table, made.spec);
    },
    /** Turns the form into text, to be written by hand from now on; if the form is as it was left, into what was written then. */
    async writeSpec() {
      const form = JSON.stringify(own());
      spec = left?.form === form ? left.spec : await client.ask({ ask: "write", spec: own() });
      await keep({ spec });
    },
    async setSpec(text: string) {
      spec = text;
      await keep({ spec });
    },
    async backToForm() {
      if (spec !== undefined) left = { spec, form: JSON.stringify(own()) };
      spec = undefined;
      await keep({ spec });
    },
    /** After the form changed. */
    kept: () => keep({ ask: $state.snapshot(ask) }),
    async begin() {
      const kept = await remembered();
      if (kept.table) {
        const found = await inspect({ table: kept.table });
        table = found && kept.table;
        whole = found;
        if (found) {
          ask = kept.ask ? { ...blank, ...kept.ask } : firstAsk(found);
          if (kept.spec === undefined) await look();
        }
        spec = kept.spec;
      }
      run = kept.run;
    },
  };
}

export type Session = ReturnType<typeof openSession>;
