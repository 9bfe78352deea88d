// Sends a run folder: each file is one object, written whole on arrival, and the report last, because a folder with a report
// counts as finished.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ObjectStore } from "@nats-io/obj";
import { PliantError } from "@pliant/core";
import { replaceFile } from "@pliant/platform";

/** The files of a folder by their paths in it. */
function filesIn(path: string): string[] {
  const names = readdirSync(path, { recursive: true }) as string[];
  return names.filter((name) => statSync(join(path, name)).isFile()).sort();
}

export async function send(
  folders: ObjectStore,
  path: string,
  { under, keep }: { under: string; keep: (file: string) => boolean },
): Promise<Record<string, string>> {
  const sent: Record<string, string> = {};
  for (const file of filesIn(path).filter(keep)) {
    sent[file] = `${under}/${file}`;
    await folders.putBlob({ name: sent[file] }, readFileSync(join(path, file)));
  }
  return sent;
}

const last = "report.json";

export async function receive(
  folders: ObjectStore,
  files: Readonly<Record<string, string>>,
  path: string,
): Promise<void> {
  for (const file of Object.keys(files).sort((a, b) => Number(a === last) - Number(b === last))) {
    const content = await folders.getBlob(files[file]);
    if (content === null) throw new PliantError(`the queue has lost ${file} of ${path}.`);
    const whole = join(path, file);
    mkdirSync(dirname(whole), { recursive: true });
    replaceFile(whole, content);
  }
}

/** A file, named by the hash of its content. */
export async function share(folders: ObjectStore, file: string): Promise<string> {
  const content = readFileSync(file);
  const name = `shared/${createHash("sha256").update(content).digest("hex")}`;
  if ((await folders.info(name)) === null) await folders.putBlob({ name }, content);
  return name;
}

export async function forget(
  folders: ObjectStore,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const name of Object.values(files)) await folders.delete(name);
}
