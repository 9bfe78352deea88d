// Reads tables and trains, with the packages that the command uses; files are in the worker's memory.
import { InputError, PliantError } from "@pliant/core";
import { offerRuntime } from "@pliant/engine/onnx";
import {
  askToStop,
  existsSync,
  join,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "@pliant/platform";
import {
  cardOf,
  describeModel,
  examples,
  finishedRun,
  html,
  inspect,
  markdown,
  onnxModel,
  readSpec,
  repeatsOf,
  reportText,
  summaryText,
  trainedModel,
  trainInFolder,
} from "@pliant/train";
import { stringify } from "yaml";
import type { Answers, Files, Given, News, Question, Table, Trained, WorkerMessage } from "./messages.js";
import { loadRuntime } from "./worker-runtime.js";

const prepareRuntime = offerRuntime(loadRuntime);
/** Programs of fewer are small, and run in plain TypeScript. */
const manyRows = 5000;

const tell = (told: WorkerMessage, transfer: Transferable[] = []): void =>
  (self as unknown as Worker).postMessage(told, transfer);

/** As a command beside the table would name it. */
let current = "";

function keep({ name, bytes }: Table): void {
  if (current) rmSync(current, { force: true });
  writeFileSync(name, bytes);
  current = name;
}

/** Milliseconds between two pictures of a run. */
const pause = 250;

async function train(
  { table, spec, insist }: Extract<Question, { ask: "train" }>,
  tellNews: (news: News) => void,
) {
  keep(table);
  writeFileSync("spec.yaml", spec);
  const specFile = readSpec("spec.yaml");
  if (repeatsOf(specFile))
    throw new InputError(
      "spec.yaml: several seeds or folds make several runs; this page trains one. Use pliant train.",
    );
  const { file, dataset } = specFile.spec.data;
  if (file !== undefined && file !== table.name)
    throw new InputError(`spec.yaml: data.file is ${file}, and the table here is ${table.name}.`);
  if (dataset !== undefined)
    throw new InputError("spec.yaml: data.dataset is for images; this page reads tables.");
  const name = specFile.spec.name ?? table.name.replace(/\.\w+(\.gz)?$/, "");
  const folder = folderFor(name, table.name);
  rmSync(folder, { recursive: true, force: true });
  let last = 0;
  const shown = (line: string, done?: number): void => {
    const now = performance.now();
    const due = now - last > pause && existsSync(join(folder, "metrics.jsonl"));
    if (due) last = now;
    tellNews({
      line,
      done,
      ...(due && { run: { folder, files: filesIn(folder, ["run.json", "metrics.jsonl"]) } }),
    });
  };
  await trainInFolder(specFile, {
    ...{ name, out: folder, insist },
    progress: { show: shown, end: () => {} },
    onData: ({ rows }) => tellNews({ line: `${rows.toLocaleString("en")} rows read; the problem is stated` }),
  });
  return { folder, files: new Map([...filesIn(folder), ...derived(folder)]) };
}

/** A name that is a folder's on every system, and not the table's. */
function folderFor(name: string, table: string): string {
  const plain = name.replace(/[^\p{L}\p{N}_.-]+/gu, "-").replace(/^\.+/, "") || "run";
  return plain === table || plain === "spec.yaml" ? `${plain}-run` : plain;
}

function filesIn(folder: string, names: readonly string[] = readdirSync(folder)): Map<string, Uint8Array> {
  const own = names.filter((name) => {
    const path = join(folder, name);
    return existsSync(path) && !statSync(path).isDirectory();
  });
  return new Map(own.map((name) => [name, readFileSync(join(folder, name))]));
}

/** What `pliant export`, `card` and `report` write of a run; of one without a report nothing. */
function derived(folder: string): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  if (!existsSync(join(folder, "report.json"))) return found;
  const { asked, report } = finishedRun(folder);
  const put = (name: string, text: string): void => void found.set(name, new TextEncoder().encode(text));
  const card = cardOf(asked, report);
  put("card.md", markdown(card));
  put("card.html", html(card, `Model card: ${asked.name}`));
  put("report.txt", `${reportText(report)}\n`);
  const trained = trainedModel(folder);
  found.set("model.onnx", onnxModel(trained));
  put("model.json", `${JSON.stringify(describeModel(trained), null, 2)}\n`);
  return found;
}

type Work = {
  readonly [Ask in keyof Answers]: (
    question: Extract<Question, { ask: Ask }>,
    tellNews: (news: News) => void,
  ) => Answers[Ask] | Promise<Answers[Ask]>;
};

const work: Work = {
  inspect: async ({ table, target, groups }, tellNews) => {
    if (table) keep(table);
    const summary = await inspect(current, {
      ...{ target, groups },
      onRows: (rows) => tellNews({ line: `${rows.toLocaleString("en")} rows read` }),
    });
    // While the person states what to train; where it does not load, training says so.
    if (summary.rows >= manyRows) prepareRuntime().catch(() => {});
    return { summary, text: summaryText(summary) };
  },
  example: ({ name }) => {
    const { spec, files } = examples[name];
    const [[file, made]] = Object.entries(files);
    return { table: { name: file, bytes: new TextEncoder().encode(made()) }, spec };
  },
  write: ({ spec }) => stringify(spec, { lineWidth: 0 }),
  train: train as (
    question: Extract<Question, { ask: "train" }>,
    tellNews: (news: News) => void,
  ) => Promise<Trained>,
  derive: ({ folder, files }) => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
    return derived(folder) as Files;
  },
  stop: () => askToStop(),
};

addEventListener("message", async ({ data }: MessageEvent<(Question & { id: number }) | Given>) => {
  if ("runtime" in data) return;
  const { id, ...question } = data;
  try {
    const does = work[question.ask] as (q: Question, tellNews: (news: News) => void) => unknown;
    tell({ id, answer: await does(question as Question, (news) => tell({ id, news })) });
  } catch (reason) {
    // What Pliant says is a sentence for the person; anything else is a fault of ours, and looks like one.
    if (!(reason instanceof PliantError)) console.error(reason);
    // Nobody knows the folder that files have here.
    tell({ id, problem: (reason as Error).message.replaceAll(`/${current}`, current) });
  }
});
