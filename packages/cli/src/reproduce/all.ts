// pliant reproduce all: runs every item of the paper by one plan until --minutes have passed; --status shows progress.
import { existsSync } from "node:fs";
import { type Device, open } from "@pliant/engine/device";
import { federated, items as lab } from "@pliant/lab";
import { circumstances, duration, progress } from "@pliant/learn/runs";
import { readArgs, refuseWords } from "../arguments.js";
import { deadline, readDevice, shared, someOf } from "../options.js";
import { reproduceByQueue } from "../queue/reproduce.js";
import { running } from "./experiment.js";

const { items, missingOf, planOf, statusOf, work } = lab;

const options = {
  item: {
    type: "string",
    value: "NAMES",
    default: "all",
    about: "tables and figures to reproduce: a,b or all",
  },
  minutes: { type: "string", value: "N", about: "stop after so many minutes" },
  small: { type: "boolean", default: false, about: "a small version on built-in data, on a CPU" },
  status: { type: "boolean", default: false, about: "print the progress, and do nothing" },
  missing: { type: "boolean", default: false, about: "run only what is not on record, in this order" },
  records: {
    type: "string",
    value: "DIR",
    about: "recorded runs (default: packages/lab/results/runs, if it exists)",
  },
  device: shared.device,
  out: {
    type: "string",
    value: "DIR",
    about: "the folder to write runs to (default: runs/all, or runs/small)",
  },
  queue: {
    type: "string",
    value: "URL",
    about: "let workers train the runs, through nats://HOST:PORT (see pliant work)",
  },
  force: running.force,
  json: shared.json,
} as const;

/** The folder of records in a checkout. */
const recorded = "packages/lab/results/runs";

export async function reproduceAll(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "reproduce all",
    about: "Trains the runs of all tables and figures of the paper, the most useful first.",
    options,
  });
  refuseWords(positionals, "reproduce all");
  const names = someOf(
    "an item",
    values.item,
    items.map(({ name }) => name),
  );
  const chosen = items.filter(({ name }) => names.includes(name));
  const device = readDevice(values.device);
  const until = deadline(values.minutes);
  const size = values.small ? "small" : "paper";
  const out = values.out ?? (values.small ? "runs/small" : "runs/all");
  const records = values.records ?? (existsSync(recorded) ? recorded : undefined);
  const places = { out, ...(records !== undefined && { records }) };
  const plan = values.missing ? missingOf(planOf(chosen, size), places) : planOf(chosen, size);
  let opened: Device | undefined;
  if (!values.status && values.queue !== undefined)
    await reproduceByQueue(values.queue, plan, { out, size, until, again: values.force });
  else if (!values.status) {
    const backend = await open(device);
    opened = circumstances(backend).device;
    try {
      await work(plan, { backend, out, until, again: values.force, progress: progress() });
    } finally {
      await backend.close();
    }
  }
  const status = statusOf(chosen, { ...places, size, device: opened ?? (await wouldOpen(device)) });
  console.log(values.json ? JSON.stringify(status, null, 2) : statusText(status));
}

/** The device name that runs record for `auto`; GPU memory that other processes use is not claimed. */
async function wouldOpen(device: Device): Promise<Device> {
  if (device !== "auto") return device;
  const backend = await open(device, { preallocate: false });
  await backend.close();
  return circumstances(backend).device;
}

const time = (seconds: number): string =>
  seconds > 5400 ? `${(seconds / 3600).toFixed(1)} h` : duration(seconds);

function statusText({ items, runs, done, secondsLeft, next, waiting }: lab.Status): string {
  const table = federated.tableText({
    title: "Items of the paper; a run may serve several of them",
    head: ["item", "runs", "done", "failed", "trained", "left, about", "verdict"],
    body: items.map((item) => [
      item.name,
      String(item.runs),
      String(item.done),
      item.failed > 0 ? String(item.failed) : "",
      item.seconds > 0 ? time(item.seconds) : "",
      item.done < item.runs ? time(item.secondsLeft) : "",
      item.verdict,
    ]),
  });
  if (done === runs) return `${table}\n\nAll ${runs} runs are done.`;
  const missing = federated.tableText({
    title: "Not done, in the order of --missing",
    head: ["stage", "runs", "minutes, about"],
    body: waiting.map(({ name, runs, secondsLeft }) => [
      name,
      String(runs.length),
      (secondsLeft / 60).toFixed(0),
    ]),
  });
  const rest = `${done} of ${runs} runs are done; the rest takes about ${time(secondsLeft)} here.${next ? ` Next: ${next}.` : ""}`;
  return [table, missing, rest].join("\n\n");
}
