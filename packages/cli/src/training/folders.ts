// Chooses the run folder. A finished run is overwritten only with --force.
import { accessSync, constants, existsSync, mkdirSync, rmdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { InputError } from "@pliant/core";
import { word } from "@pliant/train";

/** A file called spec takes the name of its folder. */
export function nameOf(path: string): string {
  const own = basename(path)
    .replace(/\.(ya?ml|json)$/i, "")
    .replace(/^stdin-\d+$/, "stdin");
  return own === "spec" ? basename(dirname(resolve(path))) || own : own;
}

/** runs/NAME, without characters that are special in paths. */
const folderOf = (name: string): string => join("runs", name.replace(/^\.+|[\\/:*?"<>|]+/g, "_"));

/** Fails early if the folder cannot be created. */
export function refuseUnwritable(folder: string): void {
  let [nearest, missing]: [string, string | undefined] = [resolve(folder), undefined];
  while (!existsSync(nearest) && nearest !== dirname(nearest))
    [nearest, missing] = [dirname(nearest), nearest];
  if (!statSync(nearest).isDirectory())
    throw new InputError(`the run folder ${folder} cannot be made, as ${nearest} is a file.`);
  try {
    accessSync(nearest, constants.W_OK);
    // Permissions do not cover virtual file systems such as /proc, where Node's recursive mkdir would loop forever.
    if (missing !== undefined) {
      mkdirSync(missing);
      rmdirSync(missing);
    }
  } catch {
    throw new InputError(`the run folder ${folder} cannot be used, as nothing may be written to ${nearest}.`);
  }
}

const numbered = (folder: string, i: number): string => (i === 1 ? folder : `${folder}-${i}`);

/** Whether a folder holds a run, or a run with the given file. */
type HasRun = (folder: string, file?: string) => boolean;

export function chosenFolder(
  { out, force, resume }: { out?: string; force: boolean; resume: boolean },
  name: string,
  hasRun: HasRun,
  say: (text: string) => void,
): string {
  if (force && (out === undefined || resume))
    throw new InputError(
      out === undefined
        ? "--force replaces the run of a folder; name the folder with --out."
        : "--force replaces a run and --resume continues it; leave out one of them.",
    );
  const folder = out ?? folderOf(name);
  const first = (taken: (folder: string) => boolean): number => {
    let i = 1;
    while (taken(numbered(folder, i))) i++;
    return i;
  };
  if (out === undefined) {
    const free = first((one) => hasRun(one));
    return numbered(folder, resume && free > 1 ? free - 1 : free);
  }
  if (force || resume || !hasRun(folder)) return folder;
  if (!hasRun(folder, "report.json"))
    throw new InputError(
      `${folder} has a run that was not finished; resume it with --resume, or replace it with --force.`,
    );
  const free = numbered(
    folder,
    first((one) => hasRun(one)),
  );
  say(
    `${folder} has a finished run, so this run goes to ${free}. To replace the finished run, use --out ${word(folder)} --force.`,
  );
  return free;
}
