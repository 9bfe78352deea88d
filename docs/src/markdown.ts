// From a page's Markdown to HTML: anchors at headings, links that are checked and lead to pages, blocks in colour.
import { existsSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path/posix";
import MarkdownIt from "markdown-it";
import { readInfo, textOf } from "./block.js";
import type { Highlight } from "./highlight.js";
import type { Page } from "./page.js";
import { root } from "./place.js";
import { numberOf, tableOf } from "./record.js";

export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Files that it shows or links to: where they are in the site, and where they come from, from docs/. */
  readonly files: ReadonlyMap<string, string>;
}

interface Around {
  readonly page: Page;
  readonly headings: Heading[];
  readonly files: Map<string, string>;
}

/** As links name headings: lower case, words joined by hyphens. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, "")
    .trim()
    .replace(/\s+/g, "-");

export function openMarkdown(pages: readonly Page[], highlight: Highlight): (page: Page) => Rendered {
  const addresses = new Map(pages.map(({ source, address }) => [source, address]));
  const md = new MarkdownIt({ html: true, linkify: false, typographer: false });
  const { escapeHtml } = md.utils;

  /** Where a link of a page leads in the site; undefined for a file of the repository that is not part of it. */
  function target(href: string, { page, files }: Around): string | undefined {
    if (/^(https?:|mailto:|#)/.test(href) || /\.html(#|$)/.test(href)) return href;
    const [path, anchor] = href.split("#");
    const source = normalize(join(page.base, path));
    const suffix = anchor ? `#${anchor}` : "";
    const address = addresses.get(source);
    if (address) return relative(dirname(page.address), address) + suffix;
    if (!existsSync(join(root, "docs", source)))
      throw new Error(`docs/${page.source} links to ${href}, which is not there.`);
    const outside = source.startsWith("..");
    if (outside && !/\.(svg|png)$/.test(source)) return undefined;
    if (source.endsWith(".md"))
      throw new Error(`docs/${page.source} links to ${href}, which navigation.yaml does not list.`);
    const file = outside ? `files/${source.slice("../".length)}` : source;
    files.set(file, source);
    return relative(dirname(page.address), file) + suffix;
  }

  md.core.ruler.push("headings and links", ({ tokens, env }) => {
    for (const [i, token] of tokens.entries()) {
      if (token.type === "heading_open") {
        const text = tokens[i + 1].children!.map(({ content }) => content).join("");
        const id = anchorOf(text);
        token.attrSet("id", id);
        env.headings.push({ level: Number(token.tag.slice(1)), id, text });
      }
      for (const child of token.children ?? []) {
        if (child.type === "image") child.attrSet("src", target(child.attrGet("src")!, env) ?? "");
        if (child.type !== "link_open") continue;
        const href = target(child.attrGet("href")!, env);
        if (href === undefined) {
          child.attrs = [["data-file", child.attrGet("href")!.replace(/^(\.\.\/)+/, "")]];
        } else child.attrSet("href", href);
      }
    }
  });
  // A file of the repository is named, not linked to: the site stands by itself.
  md.renderer.rules.link_open = (tokens, i, options, _, self) =>
    tokens[i].attrGet("data-file") ? "" : self.renderToken(tokens, i, options);
  md.renderer.rules.link_close = (tokens, i, options, _, self) => {
    const opened = tokens.slice(0, i).findLast(({ type }) => type === "link_open");
    return opened?.attrGet("data-file") ? "" : self.renderToken(tokens, i, options);
  };
  md.renderer.rules.table_open = (tokens, i) => {
    const place = tokens.slice(0, i + 1).filter(({ type }) => type === "table_open").length;
    return `<div class="scroll" tabindex="0" role="region" aria-label="Table ${place}"><table>\n`;
  };
  md.renderer.rules.table_close = () => "</table></div>\n";
  // A header without words names nothing: it is an ordinary cell.
  const cellOf = (tokens: readonly { readonly content: string }[], inline: number): string =>
    tokens[inline]?.content.trim() === "" ? "td" : "th";
  md.renderer.rules.th_open = (tokens, i, options, _, self) => {
    tokens[i].tag = cellOf(tokens, i + 1);
    return self.renderToken(tokens, i, options);
  };
  md.renderer.rules.th_close = (tokens, i, options, _, self) => {
    tokens[i].tag = cellOf(tokens, i - 1);
    return self.renderToken(tokens, i, options);
  };
  md.renderer.rules.text = (tokens, i) =>
    tokens[i].content
      .split(/(\{\{.*?\}\})/)
      .map((part) => (part.startsWith("{{") ? numberOf(part.slice(2, -2)) : escapeHtml(part)))
      .join("");
  md.renderer.rules.fence = (tokens, i) => {
    const { info, content } = tokens[i];
    const { language, asked } = readInfo(info);
    if (language === "figures") return tableOf(content);
    const code = textOf(content, asked.from).trimEnd();
    const name = asked.file ?? asked.from?.replace(/#.*/, "");
    const label = name ? `<figcaption>${escapeHtml(name)}</figcaption>` : "";
    const kind = language === "output" ? "output" : "code";
    return (
      `<figure class="${kind}">${label}<pre tabindex="0"><code>${highlight(code, language)}</code></pre>` +
      `${kind === "code" ? '<button type="button" class="copy">Copy</button>' : ""}</figure>\n`
    );
  };

  return (page) => {
    const around: Around = { page, headings: [], files: new Map() };
    const html = md.render(page.body, around);
    return { html, headings: around.headings, files: around.files };
  };
}
