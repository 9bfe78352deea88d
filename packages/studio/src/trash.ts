// Deleting a run moves its folder into .trash inside the runs folder, with a note of where it lay, so that it can come back.
import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Deleted } from "./api.js";
import { textOf } from "./files.js";
import { folderOf, pathOf, realRoot, refuse } from "./places.js";

const trashName = ".trash";
const noteName = "deleted.json";
const folderName = "run";

/** The trash, made where there is none; a link in its place is refused. */
async function trashOf(root: string): Promise<string> {
  const trash = join(root, trashName);
  await mkdir(trash, { recursive: true });
  if (!(await lstat(trash)).isDirectory())
    throw refuse(409, `${trashName} in the runs folder is not a folder.`);
  return trash;
}

/** Moves runs to the trash, those inside others first; where one cannot be moved, the others are put back. */
export async function moveToTrash(runs: string, names: readonly string[]): Promise<Deleted[]> {
  const deleted: Deleted[] = [];
  try {
    for (const name of [...names].sort((a, b) => b.length - a.length))
      deleted.push(await moveOne(runs, name));
  } catch (reason) {
    for (const { id } of deleted.reverse()) await restore(runs, id);
    throw reason;
  }
  return deleted;
}

async function moveOne(runs: string, name: string): Promise<Deleted> {
  const folder = await folderOf(runs, name);
  if (name === ".") throw refuse(409, "The runs folder itself is the run; it cannot be deleted from here.");
  const root = await realpath(runs);
  const at = Date.now();
  const id = `${at}-${randomBytes(4).toString("hex")}`;
  const place = join(await trashOf(root), id);
  await mkdir(place);
  try {
    await writeFile(join(place, noteName), JSON.stringify({ name, at }));
    await rename(folder, join(place, folderName));
  } catch (reason) {
    await rm(place, { recursive: true });
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") throw refuse(404, "There is no such run.");
    throw reason;
  }
  return { id, name, at };
}

/** Puts a run back where it lay. */
export async function restore(runs: string, id: string): Promise<Deleted> {
  const deleted = (await inTrash(runs)).find((entry) => entry.id === id);
  const root = await realRoot(runs);
  const target = deleted && root && pathOf(root, deleted.name);
  if (!target) throw refuse(404, "There is no such run in the trash.");
  const place = join(root, trashName, id);
  const taken = await lstat(target).then(
    () => true,
    () => false,
  );
  if (taken) throw refuse(409, `There is another run at ${deleted.name} by now; move it first.`);
  const parent = dirname(target);
  const above = await nearest(parent);
  if ((await realpath(above)) !== above) throw refuse(409, `The folder of ${deleted.name} is a link by now.`);
  await mkdir(parent, { recursive: true });
  if ((await realpath(parent)) !== parent)
    throw refuse(409, `The folder of ${deleted.name} is a link by now.`);
  await rename(join(place, folderName), target).catch((reason: NodeJS.ErrnoException) => {
    throw reason.code === "ENOENT" ? refuse(404, "There is no such run in the trash.") : reason;
  });
  await rm(place, { recursive: true });
  return deleted;
}

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** The nearest of the folders above that is there, or is a link. */
async function nearest(path: string): Promise<string> {
  const there = await lstat(path).then(
    () => true,
    () => false,
  );
  return there ? path : nearest(dirname(path));
}

/** What lies in the trash, the latest first. */
export async function inTrash(runs: string): Promise<Deleted[]> {
  const root = await realRoot(runs);
  const trash = root && join(root, trashName);
  if (!trash || !(await isFolder(trash))) return [];
  const ids = (await readdir(trash)).filter((id) => /^\d+-[0-9a-f]{8}$/.test(id));
  const entries = await Promise.all(ids.map((id) => noteIn(trash, id)));
  return entries.flatMap((entry) => entry ?? []).sort((a, b) => b.at - a.at);
}

async function noteIn(trash: string, id: string): Promise<Deleted | undefined> {
  try {
    if (!(await isFolder(join(trash, id))) || !(await isFolder(join(trash, id, folderName))))
      return undefined;
    const { name, at } = JSON.parse((await textOf(join(trash, id, noteName), 64 << 10)) ?? "");
    return typeof name === "string" && pathOf("/", name) && typeof at === "number"
      ? { id, name, at }
      : undefined;
  } catch {
    return undefined;
  }
}
