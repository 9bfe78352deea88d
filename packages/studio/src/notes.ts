// What a person says of a run: another title, tags, notes. It lies beside the run's own files, in studio.json, and changes none of them.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Note } from "./api.js";
import { type Json, writeWhole } from "./files.js";
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

/** What somebody else wrote meanwhile stays; the same part changed by both is refused. */
export function mergedNote(before: Note, sent: Note, now: Note): Note {
  const merged = (key: "title" | "notes"): string => {
    if (sent[key] === before[key] || sent[key] === now[key]) return now[key];
    if (now[key] === before[key]) return sent[key];
    throw refuse(
      409,
      `Somebody else changed the ${key} of this run meanwhile, to: ${now[key].slice(0, 200)}`,
    );
  };
  const tags = [
    ...now.tags.filter((tag) => sent.tags.includes(tag) || !before.tags.includes(tag)),
    ...sent.tags,
  ];
  const added = tags.filter((tag) => now.tags.includes(tag) || !before.tags.includes(tag));
  return { title: merged("title"), tags: [...new Set(added)], notes: merged("notes") };
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
  await writeWhole(place, `${JSON.stringify(note, null, 2)}\n`);
}
