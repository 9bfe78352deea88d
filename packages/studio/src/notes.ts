// What a person says of a run: another title, tags, notes. It lies beside the run's own files, in studio.json, and changes none of them.
import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Note } from "./api.js";
import type { Json } from "./files.js";
import { refuse } from "./places.js";

export const noteFile = "studio.json";

const longest = { title: 200, tag: 40, notes: 20_000 };
const mostTags = 20;

const text = (value: unknown, most: number): string => {
  if (value === undefined) return "";
  if (typeof value !== "string" || value.length > most)
    throw refuse(400, `A note is text of at most ${most} letters.`);
  return value.trim();
};

/** What was sent, checked. */
export function noteFrom({ title, tags = [], notes }: Record<string, unknown>): Note {
  if (!Array.isArray(tags) || tags.length > mostTags)
    throw refuse(400, `A run has at most ${mostTags} tags.`);
  const named = tags.map((tag) => text(tag, longest.tag)).filter(Boolean);
  return { title: text(title, longest.title), tags: [...new Set(named)], notes: text(notes, longest.notes) };
}

/** What lies in the file; whatever is not as it should be is as if it were not there. */
export function noteIn(json: Json | undefined): Note {
  const { title, tags, notes } = json?.value ?? {};
  return {
    title: typeof title === "string" ? title : "",
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
    notes: typeof notes === "string" ? notes : "",
  };
}

/** Written beside and put in place whole; a note that says nothing is no file. */
export async function writeNote(folder: string, note: Note): Promise<void> {
  const place = join(folder, noteFile);
  if (!note.title && !note.notes && note.tags.length === 0) return rm(place, { force: true });
  const beside = join(folder, `.${noteFile}-${randomBytes(4).toString("hex")}`);
  await writeFile(beside, `${JSON.stringify(note, null, 2)}\n`, { flag: "wx" });
  await rename(beside, place);
}
