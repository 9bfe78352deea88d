// pliant data: fetches, checks and lists datasets.

import { InputError, unknownName } from "@pliant/core";
import {
  type Checked,
  checkDataset,
  dataFolder,
  type FetchProgress,
  fetchDataset,
  listDatasets,
} from "@pliant/data";
import { progress } from "@pliant/learn/runs";
import { readArgs } from "./arguments.js";
import { shared } from "./options.js";

const usage = "pliant data fetch NAME [--from URL], pliant data check NAME or pliant data list";

interface DataOptions {
  folder?: string;
  /** A mirror to download from. */
  from?: string;
  json: boolean;
}

export async function data(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "data fetch NAME | check NAME | list",
    about: "Downloads a dataset and verifies it, verifies the files on disk, or lists the datasets.",
    options: {
      folder: {
        type: "string",
        value: "DIR",
        about: "the folder of datasets (default: PLIANT_DATA, or the cache)",
      },
      from: { type: "string", value: "URL", about: "a mirror to download from, instead of the publishers" },
      json: shared.json,
    },
  });
  const [action, name, ...rest] = positionals;
  if (action === undefined) throw new InputError(`say what to do: ${usage}.`);
  const known: Record<string, (name: string, asked: DataOptions) => Promise<void>> = { fetch, check, list };
  if (!Object.hasOwn(known, action)) throw unknownName("something data can do", action, Object.keys(known));
  if ((name === undefined) !== (action === "list") || rest.length > 0)
    throw new InputError(`"pliant data ${positionals.join(" ")}" is not complete or too long: ${usage}.`);
  if (values.from !== undefined && action !== "fetch")
    throw new InputError(`--from goes with fetch only: ${usage}.`);
  await known[action](name, values);
}

async function fetch(name: string, { folder, from, json }: DataOptions): Promise<void> {
  const line = progress();
  const fetched = await fetchDataset(name, {
    folder,
    sources: from === undefined ? undefined : [sourceOf(from)],
    onProgress: onShare((text) => line.show(text), process.stderr.isTTY ? 1 : 20),
  }).finally(() => line.end());
  if (json) return print(fetched);
  if (fetched.files.length === 0) console.log(`${name} is generated; there is nothing to fetch.`);
  for (const { path, bytes, downloaded } of fetched.files)
    console.log(`✓ ${path.padEnd(32)} ${sizeOf(bytes)}  ${downloaded ? "downloaded" : "was there"}`);
  if (fetched.files.length > 0) console.log(`\n${name} is in ${fetched.folder}.`);
}

/** Adds a trailing slash, so that file names are appended to the address. */
function sourceOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new InputError(`--from is an address that begins with http:// or https://, not ${url}.`);
  return url.endsWith("/") ? url : `${url}/`;
}

/** Reports progress each time `step` more percent of a file have arrived. */
function onShare(show: (text: string) => void, step: number): (progress: FetchProgress) => void {
  let shown = "";
  return ({ path, received, bytes }) => {
    const share = Math.floor((100 * received) / bytes / step) * step;
    const text = `${path}  ${String(share).padStart(3)}% of ${sizeOf(bytes).trimStart()}`;
    if (text !== shown) show(text);
    shown = text;
  };
}

async function check(name: string, { folder, json }: DataOptions): Promise<void> {
  const checked = await checkDataset(name, { folder });
  if (json) print(checked);
  else describe(checked);
  if (checked.problems.length > 0)
    throw new InputError(
      checked.problems.length === 1 || json
        ? checked.problems[0]
        : `${checked.problems[0]} (and ${checked.problems.length - 1} more, listed above)`,
    );
}

function describe({ name, folder, files, facts, problems }: Checked): void {
  for (const { path, found, expected, ok } of files) {
    const state =
      found === undefined ? "absent" : ok ? `${expected.algorithm} right` : "not the published file";
    console.log(`${ok ? "✓" : "✗"} ${path.padEnd(32)} ${sizeOf(found?.bytes ?? expected.bytes)}  ${state}`);
  }
  for (const { fact, found, ok } of facts)
    console.log(`${ok ? "✓" : "✗"} ${fact.padEnd(32)} ${found.join(" ")}`);
  if (problems.length > 1) console.log(`\n${problems.join("\n")}`);
  if (problems.length === 0)
    console.log(
      files.length > 0 ? `\n${name} in ${folder} is whole.` : `\n${name} is generated, and as it should be.`,
    );
}

async function list(_: unknown, { folder, json }: DataOptions): Promise<void> {
  const datasets = listDatasets({ folder });
  if (json) return print({ folder: dataFolder({ folder }), datasets });
  for (const { name, about, bytes, state } of datasets) {
    const size = state === "absent" ? ` (${sizeOf(bytes).trim()} to fetch)` : "";
    console.log(`${name.padEnd(14)} ${state.padEnd(11)} ${about}${size}`);
  }
  console.log(`\nThe folder is ${dataFolder({ folder })}.`);
}

const print = (value: unknown): void => console.log(JSON.stringify(value, null, 2));

const sizeOf = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1).padStart(6)} kB` : `${(bytes / 1e6).toFixed(1).padStart(6)} MB`;
