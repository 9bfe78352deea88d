// Names of runs and where they lie. Nothing outside the runs folder has a name: a name with "..", a hidden or an absolute
// part is refused, and so is a link, wherever it leads.
import { constants } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { HTTPException } from "hono/http-exception";

export const refuse = (status: 400 | 401 | 403 | 404 | 409 | 413, message: string): HTTPException =>
  new HTTPException(status, { message });

/** The runs folder where it really lies; undefined while there is none. */
export const realRoot = (root: string): Promise<string | undefined> => realpath(root).catch(() => undefined);

/** Characters that end a name, or lead elsewhere, on some system. */
const special = process.platform === "win32" ? /[\\\0:]/ : /[\\\0]/;
const isPlain = (part: string): boolean => part !== "" && !part.startsWith(".") && !special.test(part);

/** The folder of a name that may be one of a run, whether or not it exists; undefined where the name may not. */
export function pathOf(root: string, name: string): string | undefined {
  if (name === ".") return root;
  const parts = name.split("/");
  return parts.every(isPlain) ? join(root, ...parts) : undefined;
}

/** The folder of a run. */
export async function folderOf(runs: string, name: string): Promise<string> {
  const root = await realRoot(runs);
  const path = root && pathOf(root, name);
  // A link anywhere on the way makes the real path another one.
  if (
    path &&
    (await realpath(path).catch(() => undefined)) === path &&
    (await isFile(join(path, "run.json")))
  )
    return path;
  throw refuse(404, "There is no such run.");
}

/** Whether this is a file of its own: not a folder, a link or a device. */
export const isFile = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** For reading, never through a link, and never to wait at what is no file by now. */
export const plainly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file for reading; undefined where there is none, or only a link. */
export const openFile = async (path: string) =>
  (await isFile(path)) ? open(path, plainly).catch(() => undefined) : undefined;
