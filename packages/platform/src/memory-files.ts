// Files in memory, by path. A folder exists once it is created or contains a file.
import { dirname, resolve } from "./page-paths.js";
import type { Files } from "./platform.js";

/** An error like those of node:fs; callers read its code. */
function refuse(code: "ENOENT" | "EISDIR" | "EEXIST", why: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${why}, '${path}'`), { code });
}

const encoder = new TextEncoder();

export function memoryFiles(): Files {
  const files = new Map<string, Uint8Array>();
  const folders = new Set(["/"]);

  const read = (path: string): Uint8Array => {
    const found = files.get(resolve(path));
    if (found) return found;
    throw folders.has(resolve(path))
      ? refuse("EISDIR", "it is a folder", path)
      : refuse("ENOENT", "no such file", path);
  };
  const write = (path: string, content: string | Uint8Array): void => {
    const place = resolve(path);
    if (folders.has(place)) throw refuse("EISDIR", "it is a folder", path);
    if (!folders.has(dirname(place))) throw refuse("ENOENT", "no such folder", path);
    // A copy, as on disk: later changes to the caller's bytes must not change the file.
    files.set(place, typeof content === "string" ? encoder.encode(content) : content.slice());
  };
  const inside = (folder: string, path: string): boolean =>
    path.startsWith(folder === "/" ? "/" : `${folder}/`);

  return {
    existsSync: (path) => files.has(resolve(path)) || folders.has(resolve(path)),
    readFileSync: ((path: string, encoding?: "utf8") => {
      const bytes = read(path);
      return encoding ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) : bytes.slice();
    }) as Files["readFileSync"],
    writeFileSync: write,
    appendFileSync: (path, content) => {
      const before = files.get(resolve(path)) ?? new Uint8Array();
      const more = encoder.encode(content);
      const all = new Uint8Array(before.length + more.length);
      all.set(before);
      all.set(more, before.length);
      write(path, all);
    },
    readdirSync: (path) => {
      const place = resolve(path);
      if (!folders.has(place)) throw refuse("ENOENT", "no such folder", path);
      const start = place === "/" ? 1 : place.length + 1;
      const names = [...files.keys(), ...folders]
        .filter((other) => other !== place && inside(place, other))
        .map((other) => other.slice(start).split("/")[0]);
      return [...new Set(names)];
    },
    mkdirSync: (path) => {
      for (let place = resolve(path); !folders.has(place); place = dirname(place)) {
        if (files.has(place)) throw refuse("EEXIST", "it is a file", path);
        folders.add(place);
      }
    },
    rmSync: (path, { recursive = false, force = false } = {}) => {
      const place = resolve(path);
      if (files.delete(place)) return;
      if (!folders.has(place)) {
        if (force) return;
        throw refuse("ENOENT", "no such file", path);
      }
      if (!recursive) throw refuse("EISDIR", "it is a folder", path);
      for (const other of [...files.keys()]) if (inside(place, other)) files.delete(other);
      for (const other of [...folders])
        if (other !== "/" && (other === place || inside(place, other))) folders.delete(other);
    },
    statSync: (path) => {
      const isFolder = folders.has(resolve(path));
      return { size: isFolder ? 0 : read(path).length, isDirectory: () => isFolder };
    },
  };
}
