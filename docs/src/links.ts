// Links of the built site that lead nowhere: a file that is not there, an anchor that no page has.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const pagesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".html"));

/** One sentence for each. */
export function brokenLinks(folder: string): string[] {
  const anchors = new Map<string, Set<string>>();
  const anchorsOf = (path: string): Set<string> => {
    const known = anchors.get(path) ?? new Set<string>();
    if (!anchors.has(path)) {
      for (const [, id] of readFileSync(path, "utf8").matchAll(/\sid="([^"]*)"/g)) known.add(id);
      anchors.set(path, known);
    }
    return known;
  };
  const broken: string[] = [];
  for (const page of pagesIn(folder)) {
    const text = readFileSync(join(folder, page), "utf8");
    for (const [, link] of text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      if (/^(https?:|mailto:|data:)/.test(link)) continue;
      const [path, anchor] = decodeURI(link).split("#");
      const file = path ? join(folder, dirname(page), path) : join(folder, page);
      if (!existsSync(file) || statSync(file).isDirectory())
        broken.push(`${page} links to ${link}, which is not there.`);
      else if (anchor && file.endsWith(".html") && !anchor.startsWith("/") && !anchorsOf(file).has(anchor))
        broken.push(`${page} links to ${link}, which has no such heading.`);
    }
  }
  return broken;
}
