// Every code block of every page: programs compile under strict types and run, commands do what the page says they do,
// and what a page shows as printed is what was printed.
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { blocksOf } from "../src/block.js";
import { examplesOf } from "../src/examples.js";
import { readSections } from "../src/page.js";
import { home, root } from "../src/place.js";
import { missingLine } from "./alike.js";
import { installed } from "./installed.js";
import { fileOf, runBlocks } from "./session.js";
import { mistakes } from "./types.js";

const place = mkdtempSync(join(tmpdir(), "pliant-docs-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** spec.md is held to what it shows by tests of the packages that read it. */
const pages = readSections()
  .flatMap((section) => section.pages)
  .filter(({ source }) => source !== "spec.md")
  .map((page) => ({ ...page, blocks: blocksOf(page.body) }));
const folderOf = (source: string): string => join(place, source.replace(/\.md$/, ""));

describe("the pages", () => {
  test("are all in navigation.yaml", () => {
    const files = readdirSync(home, { recursive: true, encoding: "utf8" })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => file.endsWith(".md") && !/^(dist|node_modules)\//.test(file));
    const listed = readSections().flatMap((section) => section.pages.map(({ source }) => source));
    expect(files.sort()).toEqual(listed.sort());
  });

  test("have programs that compile under strict types", () => {
    const programs = pages.flatMap(({ source, blocks }) =>
      blocks
        .filter(({ language, skip }) => language === "ts" && !skip)
        .map((block) => ({
          name: `${source.replace(/\.md$/, "")}/line-${block.line}-${fileOf(block).replace(/^\./, "").replaceAll("/", "-")}`,
          code: block.code,
        })),
    );
    const examples = Object.entries(examplesOf("pliant")).map(([name, { code }]) => ({
      name: `examples.yaml/${name}.ts`,
      code,
    }));
    expect(mistakes([...programs, ...examples], join(place, "types"))).toEqual([]);
  });

  test.each(pages.filter(({ settings }) => !settings.then))(
    "$source has no code but in fenced blocks",
    ({ body }) => {
      const indented = new MarkdownIt().parse(body, {}).filter(({ type }) => type === "code_block");
      expect(indented.map(({ content }) => content)).toEqual([]);
    },
  );

  const known = ["sh", "output", "ts", "js", "yaml", "json", "text", "figures", "python"];
  test.each(pages)("$source has blocks of known languages, YAML and JSON that can be read", ({ blocks }) => {
    for (const { language, code, from, skip, line } of blocks) {
      expect(known, `line ${line}`).toContain(language);
      if (language === "yaml" || language === "json") expect(() => parse(code), `line ${line}`).not.toThrow();
      // Another language's programs are run where they are quoted from.
      if (language === "python")
        expect(from ?? skip, `line ${line}: python blocks are from= a file`).toBeTruthy();
    }
  });

  // In order: a page that goes on after another begins with what that one left.
  test.each(pages.filter(({ blocks }) => blocks.some(({ language }) => /^(sh|ts|js)$/.test(language))))(
    "$source does what it says",
    async ({ source, blocks, settings: { after, with: given } }) => {
      const folder = folderOf(source);
      if (given) cpSync(join(root, given), folder, { recursive: true });
      if (after) cpSync(folderOf(after), folder, { recursive: true, verbatimSymlinks: true });
      const ran = runBlocks(blocks, folder, await installed());
      for (const [i, block] of blocks.entries()) {
        if (block.language !== "output") continue;
        const before = ran.findLast((each) => blocks.indexOf(each.block) < i);
        const missing = missingLine(block.code, before?.said ?? "");
        expect(missing, `docs/${source}, line ${block.line}; printed was:\n${before?.said}`).toBeUndefined();
      }
    },
  );
});
