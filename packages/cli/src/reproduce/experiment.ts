// Shared by the two reproduce commands: options, and results written beside their runs.
import { join } from "node:path";
import { progress } from "@pliant/learn/runs";
import type { Options } from "../arguments.js";
import { readDevice, readPrecision, seedList, shared, writeResults } from "../options.js";

export const settings = {
  preset: {
    type: "string",
    value: "NAME",
    default: "official",
    about: "settings of the published code or of the paper's text",
  },
  alpha: { type: "string", value: "X", about: "weight of the relaxation cost" },
  epsilon: { type: "string", value: "X", about: "the level of the requirements" },
} as const satisfies Options;

/** Options for where and how to run; seeds and folder differ between the experiments. */
export const running = {
  device: shared.device,
  precision: { type: "string", value: "NAME", about: "precision of matrix products on a GPU" },
  resume: { type: "boolean", default: false, about: "continue the runs in the folder" },
  force: { type: "boolean", default: false, about: "replace finished runs" },
  json: shared.json,
} as const satisfies Options;

interface Running {
  readonly device: string;
  readonly precision?: string;
  readonly seeds: string;
  readonly out: string;
  readonly resume: boolean;
  readonly force: boolean;
}

/** The parsed options. */
export const readRunning = ({ device, precision, seeds, out, resume, force }: Running) => ({
  device: readDevice(device),
  precision: readPrecision(precision),
  seeds: seedList(seeds),
  runner: { out, resume, again: force, progress: progress(), resumeWith: "the same command and --resume" },
});

interface Results {
  readonly rows: readonly object[];
  /** Tables and notes. */
  readonly text: string;
  readonly figures: readonly { readonly name: string; readonly svg: string }[];
}

/** Writes table.txt, rows.json and the figures beside the runs, and prints the tables, or the rows with --json. */
export function showResults(
  { rows, text, figures }: Results,
  { out, json }: { readonly out: string; readonly json: boolean },
): void {
  const written = JSON.stringify({ rows }, null, 2);
  writeResults(out, { "table.txt": `${text}\n`, "rows.json": `${written}\n` });
  writeResults(
    join(out, "figures"),
    Object.fromEntries(figures.map(({ name, svg }) => [`${name}.svg`, svg])),
  );
  console.log(json ? written : `${text}\n\nRuns, rows.json and ${figures.length} figures are in ${out}.`);
}
