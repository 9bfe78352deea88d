// A run folder as a ZIP archive, and back.
import { unzipSync, zipSync } from "fflate";
import type { Table, Trained } from "./messages.js";

/** The folder, and the table beside it: the spec in the folder names it from there. */
export function zipOf({ folder, files }: Trained, table?: Table): Uint8Array {
  const inside = Object.fromEntries([...files].map(([name, bytes]) => [`${folder}/${name}`, bytes]));
  return zipSync({ ...inside, ...(table && { [table.name]: table.bytes }) });
}

/** The run that an archive holds, in a folder or at its root. */
export function runIn(bytes: Uint8Array): Trained {
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(bytes);
  } catch (reason) {
    throw new Error(`The archive cannot be unpacked: ${(reason as Error).message}.`);
  }
  const asked = Object.keys(entries).find((path) => /(^|\/)run\.json$/.test(path));
  if (asked === undefined)
    throw new Error(
      "The archive holds no run: there is no run.json in it. Zip a run folder that pliant train wrote.",
    );
  const start = asked.slice(0, -"run.json".length);
  const files = Object.entries(entries).filter(
    ([path]) => path.startsWith(start) && path !== start && !path.slice(start.length).includes("/"),
  );
  return {
    folder: start.split("/").at(-2) ?? "run",
    files: new Map(files.map(([path, content]) => [path.slice(start.length), content])),
  };
}
