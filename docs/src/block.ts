// The code blocks of a page: what their first line asks, and where their text comes from.
//
//   ```ts file=train.ts        written to a file of the page's folder
//   ```sh exit=1               ends with that code
//   ```ts from=examples/a.ts   the text of a file in the repository, or with #name of its part between
//                              `#region name` and `#endregion`
//   ```sh skip="why"           shown, not run; the reason is a sentence
import { readFileSync } from "node:fs";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { root } from "./place.js";

export interface Block {
  readonly language: string;
  readonly code: string;
  /** The line of the page on which it begins, from 1. */
  readonly line: number;
  readonly file?: string;
  readonly from?: string;
  readonly exit: number;
  readonly skip?: string;
}

const known = ["file", "from", "exit", "skip"];

/** What the first line of a block asks: the language, then name=value, quoted where there are spaces. */
export function readInfo(info: string): { language: string; asked: Record<string, string> } {
  const [language = "", rest = ""] = [/^\S*/.exec(info.trim())?.[0], info.trim().replace(/^\S*/, "")];
  const asked: Record<string, string> = {};
  for (const [, name, quoted, plain] of rest.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)) {
    if (!known.includes(name)) throw new Error(`A block asks for ${name}=; known are ${known.join(", ")}.`);
    asked[name] = quoted ?? plain;
  }
  return { language, asked };
}

/** The text of a block: what is written in it, or the file or part of one that it names. */
export function textOf(content: string, from?: string): string {
  if (!from) return content;
  if (content.trim()) throw new Error(`A block from ${from} has a text of its own too.`);
  const [path, region] = from.split("#");
  const text = readFileSync(join(root, path), "utf8");
  if (!region) return text;
  const inside: string[] = [];
  let within = false;
  for (const line of text.split("\n")) {
    if (/#endregion\b/.test(line)) within = false;
    if (within) inside.push(line);
    if (new RegExp(`#region ${region}\\b`).test(line)) within = true;
  }
  if (inside.length === 0) throw new Error(`${path} has no "#region ${region}".`);
  const indents = inside.filter((line) => line.trim()).map((line) => /^ */.exec(line)![0].length);
  const indent = Math.min(...indents);
  return `${inside.map((line) => line.slice(indent)).join("\n")}\n`;
}

const parser = new MarkdownIt();

/** Every fenced block of a page's text, in order. `above` counts the lines of its settings. */
export const blocksOf = (markdown: string): Block[] =>
  parser
    .parse(markdown, {})
    .filter(({ type }) => type === "fence")
    .map(({ info, content, map }) => {
      const { language, asked } = readInfo(info);
      return {
        language,
        code: textOf(content, asked.from),
        line: (map?.[0] ?? 0) + 1,
        file: asked.file,
        from: asked.from,
        exit: Number(asked.exit ?? 0),
        skip: asked.skip,
      };
    });
