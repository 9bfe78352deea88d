// The frame around every page: where one can go, search, light or dark, and what the page holds.
import { dirname, relative } from "node:path/posix";
import { escaped } from "./escaped.js";
import type { Heading } from "./markdown.js";
import type { Page, Section } from "./page.js";

export interface Framed {
  readonly address: string;
  readonly title: string;
  readonly description?: string;
  readonly wide?: boolean;
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** Titles may have code in them. */
const titled = (title: string): string => escaped(title).replace(/`([^`]*)`/g, "<code>$1</code>");

/** A place in the site, as seen from a page: relative, so that the site may lie anywhere. */
const from = (address: string, to: string): string => relative(dirname(address), to);

const mark = `<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path class="line-cost" d="M3 20.5 21 4.5"/><path class="line-price" d="M3.5 3.5c.8 9.5 6 15.5 17 17"/><circle cx="9.8" cy="14.5" r="2.6"/></svg>`;

/** A page of the navigation, or one that is made, such as those of the API. */
type Listed = Pick<Page, "address" | "title">;
export type Listing = { readonly section: Section["section"]; readonly pages: readonly Listed[] };

function navigation(address: string, sections: readonly Listing[]): string {
  const link = ({ address: to, title }: Listed): string =>
    `<li><a href="${from(address, to)}"${to === address ? ' aria-current="page"' : ""}>${titled(title)}</a></li>`;
  return sections
    .map(
      ({ section, pages }) =>
        `<section><h2>${escaped(section)}</h2><ul>${pages.map(link).join("")}</ul></section>`,
    )
    .join("");
}

function contents(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.filter(({ level }) => level === 2).length < 2) return "";
  const items = shown.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${escaped(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join("")}</ul></nav>`;
}

function beside(address: string, sections: readonly Listing[]): string {
  const all = sections.flatMap(({ pages }) => pages);
  const at = all.findIndex((page) => page.address === address);
  const link = (page: Listed | undefined, rel: string, word: string): string =>
    page
      ? `<a rel="${rel}" href="${from(address, page.address)}"><small>${word}</small>${titled(page.title)}</a>`
      : "<span></span>";
  if (at < 0) return "";
  return `<nav class="beside" aria-label="Next to this page">${link(all[at - 1], "prev", "Before")}${link(all[at + 1], "next", "Next")}</nav>`;
}

export function framed(page: Framed, sections: readonly Listing[]): string {
  const { address, title, description, html, headings, wide } = page;
  const at = (to: string): string => from(address, to);
  return `<!doctype html>
<html lang="en" data-root="${at(".") || "."}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title.replaceAll("`", ""))}${address === "index.html" ? "" : " · Pliant"}</title>
${description ? `<meta name="description" content="${escaped(description)}">` : ""}
<link rel="icon" href="${at("theme/icon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${at("theme/colours.css")}">
<link rel="stylesheet" href="${at("theme/frame.css")}">
<link rel="stylesheet" href="${at("theme/article.css")}">
<script src="${at("theme/colours.js")}"></script>
<script src="${at("theme/page.js")}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<button type="button" class="menu" aria-expanded="false" aria-controls="pages">Pages</button>
<a class="brand" href="${at("index.html")}">${mark}<span>Pliant</span></a>
<div class="search" role="search">
<input type="search" placeholder="Search" aria-label="Search the documentation" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off">
<ul id="found" role="listbox" aria-label="Found" hidden></ul>
</div>
<button type="button" class="theme" aria-label="Use dark colours"><svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><circle cx="10" cy="10" r="6.5"/><path d="M10 3.5a6.5 6.5 0 0 1 0 13Z" class="full"/></svg></button>
</header>
<div class="columns${wide ? " wide" : ""}">
<nav id="pages" class="pages" aria-label="Pages">${navigation(address, sections)}</nav>
<main id="content" tabindex="-1">
<article>
${html}</article>
${beside(address, sections)}
</main>
${wide ? "" : contents(headings)}
</div>
</body>
</html>
`;
}
