// The pages of the site: Markdown files in the order of navigation.yaml, with what stands above their text.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { parse } from "yaml";
import { home, root } from "./place.js";

export interface Page {
  /** Where its Markdown is, from docs/: guides/fairness.md. */
  readonly source: string;
  /** Where it is in the site: guides/fairness.html. */
  readonly address: string;
  readonly title: string;
  readonly settings: Settings;
  /** Its Markdown, without the settings. */
  readonly body: string;
  /** The folder that its links start from, from docs/. */
  readonly base: string;
}

/** What a page may say between two lines of --- at its top. */
export interface Settings {
  /** One sentence, for the page's head and lists of pages. */
  readonly description?: string;
  /** A page whose folder, as its code blocks left it, this page's code blocks begin with. */
  readonly after?: string;
  /** A folder of the repository whose files this page's code blocks begin with. */
  readonly with?: string;
  /** A file of the repository, written by a command, that is the page's text. */
  readonly then?: string;
  /** No list of sections beside the text. */
  readonly wide?: boolean;
}

export interface Section {
  readonly section: string;
  readonly pages: readonly Page[];
}

const known = ["description", "after", "with", "then", "wide"];

export function readPage(source: string, folder = home): Page {
  const text = readFileSync(join(folder, source), "utf8");
  const [, above = "", written = text] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const settings: Settings = parse(above) ?? {};
  for (const name of Object.keys(settings))
    if (!known.includes(name))
      throw new Error(`docs/${source} has the setting ${name}; pages know ${known.join(", ")}.`);
  const body = settings.then ? readFileSync(join(root, settings.then), "utf8") : written;
  const title = /^# (.+)$/m.exec(body)?.[1];
  if (!title) throw new Error(`docs/${source} has no first heading, "# Title".`);
  const base = settings.then ? `../${dirname(settings.then)}` : dirname(source);
  return { source, address: source.replace(/\.md$/, ".html"), title, settings, body, base };
}

export function readSections(folder = home): Section[] {
  const listed: { section: string; pages: string[] }[] = parse(
    readFileSync(join(folder, "navigation.yaml"), "utf8"),
  );
  return listed.map(({ section, pages }) => ({
    section,
    pages: pages.map((source) => readPage(source, folder)),
  }));
}
