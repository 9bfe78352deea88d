// Runs as a page of its own: a folder with everything in it, which opens from a disk or from any web host, with no server.
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { InputError } from "@pliant/core";
import type { Published } from "./api.js";
import { statsOf } from "./files.js";
import { readMetrics } from "./metrics.js";
import { modelReader } from "./model.js";
import { ensurePage } from "./page-build.js";
import { folderOf } from "./places.js";
import { runsIn } from "./runs.js";
import { federationOf, seriesOf } from "./series.js";

/** Which runs become a site of files, and where. */
export interface PublishOptions {
  /** A run, or a folder with runs in it. */
  readonly runs: string;
  /** A folder that does not exist, or has nothing in it. */
  readonly out: string;
  /** The folder with the page that needs no server: the package's own unless given. */
  readonly page?: string;
  readonly onBuild?: () => void;
}

/** What was published. */
export interface PublishedRuns {
  readonly count: number;
  /** Those that have no report. */
  readonly unfinished: readonly string[];
}

/** Models are larger than what is looked at; what is larger than this stays at home. */
const largest = 20 << 20;

/** Writes runs as a folder that opens without a server. */
export async function publish({ runs, out, page, onBuild }: PublishOptions): Promise<PublishedRuns> {
  if ((await readdir(out).catch(() => [])).length > 0)
    throw new InputError(`${out} is not empty; name a folder that is not there yet.`);
  const all = runsIn(runs, { shared: true });
  const model = modelReader({ shared: true });
  const list = await all.list();
  if (list.length === 0) throw new InputError(`there is no run in ${runs}.`);
  const published: Mutable<Published> = {
    list: { folder: basename(resolve(runs)), readOnly: true, runs: list, deleted: [] },
    runs: Object.create(null),
  };
  await mkdir(out, { recursive: true });
  for (const [i, { name, clients }] of list.entries()) {
    const folder = await folderOf(runs, name);
    const detail = await all.detail(name);
    const metrics = readMetrics(join(folder, "metrics.jsonl"));
    await metrics.refresh();
    const files = [];
    for (const file of detail.files) {
      if ((statsOf(join(folder, file.name))?.size ?? Infinity) > largest) continue;
      await mkdir(join(out, "files", String(i)), { recursive: true });
      await copyFile(join(folder, file.name), join(out, "files", String(i), file.name));
      files.push(file);
    }
    published.runs[name] = {
      // Where the run lies on this machine is nobody's business.
      detail: { ...detail, path: name, again: `${name}-again`, stoppable: false, files },
      series: seriesOf(metrics),
      model: await model(folder).catch(() => null),
      federation: clients === null ? null : await federationOf(metrics, detail.report),
      files: `files/${i}`,
    };
  }
  const from = page ?? (await ensurePage({ onBuild, published: true }));
  for (const entry of await readdir(from, { withFileTypes: true }))
    if (entry.isFile() && entry.name !== "index.html")
      await copyFile(join(from, entry.name), join(out, entry.name));
  await writeFile(join(out, "index.html"), withoutModules(await readFile(join(from, "index.html"), "utf8")));
  await writeFile(join(out, "runs.js"), `globalThis.pliantPublished = ${asScript(published)};\n`);
  const unfinished = list.filter(({ status }) => status !== "finished").map(({ name }) => name);
  return { count: list.length, unfinished };
}

type Mutable<T> = {
  -readonly [K in keyof T]: K extends "runs" ? Record<string, Published["runs"][string]> : T[K];
};

/** JSON is a script's own notation; a name like __proto__ is a key like any other only when it is parsed. */
const asScript = (value: object): string => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;

/** A browser loads no modules, and nothing across origins, from a disk. */
function withoutModules(html: string): string {
  const plain = html
    .replace(
      /<script type="module"[^>]*src="([^"]+)"[^>]*><\/script>/,
      '<script defer src="./runs.js"></script>\n<script defer src="$1"></script>',
    )
    .replace(/(<link[^>]*?) crossorigin/g, "$1");
  if (!plain.includes("./runs.js")) throw new Error("the page of the Studio has no script");
  return plain;
}
