// What the search box looks in: every section of every page, as one script, since a page opened from a disk may fetch nothing.
import MiniSearch from "minisearch";
import type { Framed } from "./frame.js";

interface Found {
  readonly id: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

const plain = (html: string): string =>
  html
    .replace(/<[^>]*>/g, " ")
    .replace(/&(\w+);/g, (whole, name) => entities[name] ?? whole)
    .replace(/\s+/g, " ")
    .trim();

/** A page's sections: what stands under each heading. */
function sectionsOf({ address, title, html }: Framed): Found[] {
  const parts = html.split(/(?=<h[1-6] id=")/);
  return parts
    .filter((part) => part.trim())
    .map((part, i) => {
      const [, id = ""] = /^<h[1-6] id="([^"]*)"/.exec(part) ?? [];
      const [, heading = title] = /^<h[1-6][^>]*>([\s\S]*?)<\/h/.exec(part) ?? [];
      return {
        id: i === 0 ? address : `${address}#${id}`,
        page: title.replaceAll("`", ""),
        heading: plain(heading),
        text: plain(part.replace(/^<h[\s\S]*?<\/h[1-6]>/, "")),
      };
    });
}

/** Read by theme/page.js with the same settings. */
export const settings = { fields: ["heading", "page", "text"], storeFields: ["page", "heading", "text"] };

export function searchScript(pages: readonly Framed[]): string {
  const index = new MiniSearch<Found>(settings);
  index.addAll(pages.flatMap(sectionsOf));
  return `globalThis.pliantIndex = ${JSON.stringify({ settings, index })};\n`;
}
