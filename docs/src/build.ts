// Builds the site: a folder of plain pages that opens from a disk or any web host, and asks nobody for anything.
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { apiPages, readApi, unexplained } from "./api.js";
import { type Framed, framed, type Listing } from "./frame.js";
import { openHighlighter } from "./highlight.js";
import { brokenLinks } from "./links.js";
import { openMarkdown } from "./markdown.js";
import { readSections } from "./page.js";
import { home, root } from "./place.js";
import { buildPlayground } from "./playground.js";
import { schemaPage } from "./schema.js";
import { searchScript } from "./search.js";
import { buildTry } from "./try.js";

export async function buildSite(out: string): Promise<{ pages: number }> {
  const sections = readSections();
  const written = sections.flatMap(({ pages }) => pages);
  const highlight = await openHighlighter();
  const render = openMarkdown(written, highlight);
  rmSync(out, { recursive: true, force: true });
  const put = (address: string, text: string): void => {
    mkdirSync(dirname(join(out, address)), { recursive: true });
    writeFileSync(join(out, address), text);
  };

  const pages: Framed[] = written.map((page) => {
    const { html, headings, files } = render(page);
    for (const [file, source] of files) cpSync(join(home, source), join(out, file));
    return { ...page.settings, address: page.address, title: page.title, html, headings };
  });
  const api = await readApi();
  const bare = unexplained(api);
  if (bare.length > 0) throw new Error(bare.join("\n"));
  const made = [schemaPage(), ...apiPages(api, highlight)];
  const listing: Listing[] = sections.map((section) =>
    section.section === "Reference" ? { ...section, pages: [...section.pages, ...made] } : section,
  );
  pages.push(...made);
  for (const page of pages) put(page.address, framed(page, listing));
  cpSync(join(home, "theme"), join(out, "theme"), { recursive: true });
  cpSync(join(root, "packages/studio/page/src/colours.css"), join(out, "theme/colours.css"));
  put("theme/search-index.js", searchScript(pages));
  const minisearch = dirname(createRequire(import.meta.url).resolve("minisearch"));
  cpSync(join(minisearch, "../umd/index.js"), join(out, "theme/minisearch.js"));

  await buildPlayground(join(out, "playground"));
  await buildTry(join(out, "try"));

  const broken = brokenLinks(out);
  if (broken.length > 0) throw new Error(broken.join("\n"));
  return { pages: pages.length };
}
