// What holds pages to the truth can fail: a page that is wrong is seen to be.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { unexplained } from "../src/api.js";
import { blocksOf, readInfo, textOf } from "../src/block.js";
import { brokenLinks } from "../src/links.js";
import { openMarkdown } from "../src/markdown.js";
import { readPage } from "../src/page.js";
import { numberOf, shown, tableOf } from "../src/record.js";
import { keysOf, taken } from "../src/schema.js";
import { searchScript } from "../src/search.js";
import { missingLine } from "./alike.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-checks-"));
afterAll(() => rmSync(folder, { recursive: true }));
const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);

describe("what a page shows as printed", () => {
  const printed =
    "Reading …\nCertified: B gave way by 0.032; the other 3 hold.\nobjective 0.3602 after 400 steps\nat most -1  1 -- \n";

  const same = [
    ["…\nCertified: B gave way by 0.032; the other 3 hold.\n…", "the words, among others"],
    ["…\nCertified: … hold.\nobjective … 400 steps\n…", "words left open"],
    ["…\nobjective 0.36… after 400 steps\n…", "last digits left open"],
    ["…\nat most -1  1 --", "a number below 0"],
  ];
  const rounded = [
    ["…\nCertified: B gave way by 0.033; the other 3 hold.\n…", "another last digit"],
    ["…\nCertified: B gave way by 0.033; … hold.\n…", "another last digit beside words left open"],
    ["…\nobjective  0.3602  after 400 steps\n…", "wider columns"],
  ];
  const other = [
    ["…\nCertified: A gave way by 0.032; the other 3 hold.\n…", "another word"],
    ["…\nat most 1  1 --", "another sign"],
    ["…\nobjective 0.37… after 400 steps\n…", "another digit before those left open"],
    ["…\ngave way by 0.032; … hold.\n…", "words before those of the line"],
    ["…\nCertified: B … the other 3\n…", "words after those of the line"],
    ["…\nCertified: B gave way by 0.042; the other 3 hold.\n…", "another number"],
    ["…\nCertified: B gave way by 0.042; … hold.\n…", "another number beside words left open"],
    ["…\nCertified: B gave way by 0.032; the other 4 hold.\n…", "another count"],
    ["Certified: B gave way by 0.032; the other 3 hold.\n…", "a line before it"],
    ["…\nCertified: B gave way by 0.032; the other 3 hold.", "a line after it"],
    ["…\nobjective 0.3602 after 400 steps\nCertified: …", "another order"],
    ["…\nCertified: … breaks.\n…", "words that are not there after those left open"],
  ];

  test.each(same)("%j is: %s", (page) => {
    for (const exact of [false, true]) expect(missingLine(page, printed, exact)).toBeUndefined();
  });
  test.each(rounded)("%j is on another processor: %s", (page) => {
    expect(missingLine(page, printed, false)).toBeUndefined();
    expect(missingLine(page, printed, true)).toBeTypeOf("string");
  });
  test.each(other)("%j is not: %s", (page) => {
    for (const exact of [false, true]) expect(missingLine(page, printed, exact)).toBeTypeOf("string");
  });
});

describe("an API", () => {
  const item = (name: string, text?: string) =>
    ({ name, ...(text !== undefined && { comment: { summary: [{ kind: "text", text }] } }) }) as never;
  const api = new Map([
    ["pliant", [item("solve", "Solves."), item("adam"), item("sgd", " ")]],
    ["@pliant/queue", [item("openQueue")]],
  ]);

  test("is refused where an export has no comment, or an empty one", () => {
    expect(unexplained(api)).toEqual([
      "pliant has exports without a comment: adam (), sgd ().",
      "@pliant/queue has exports without a comment: openQueue ().",
    ]);
    expect(unexplained(new Map([["pliant", [item("solve", "Solves.")]]]))).toEqual([]);
  });
});

describe("blocks", () => {
  test("say what they ask, and no more than is known", () => {
    expect(readInfo('sh exit=1 skip="Needs a GPU."')).toEqual({
      language: "sh",
      asked: { exit: "1", skip: "Needs a GPU." },
    });
    expect(() => readInfo("ts fil=train.ts")).toThrow("A block asks for fil=");
  });

  test("come with their line, file and text", () => {
    const [first, second] = blocksOf("# A\n\n```ts file=a.ts\n1;\n```\n\n```output\n1\n```\n");
    expect(first).toMatchObject({ language: "ts", file: "a.ts", code: "1;\n", line: 3, exit: 0 });
    expect(second).toMatchObject({ language: "output", line: 7 });
  });

  test("quote a file, or a part of one, that is there", () => {
    expect(textOf("", "docs/src/place.ts")).toContain("export const home");
    expect(() => textOf("", "docs/src/place.ts#nowhere")).toThrow('has no "#region nowhere"');
    expect(() => textOf("more", "docs/src/place.ts")).toThrow("has a text of its own");
  });
});

test("measured numbers are those of a record, with the command they came from", () => {
  const record = "docs/test/record.json";
  expect(numberOf(`${record} runs.0.seconds .1`)).toBe(
    '<span class="measured" title="npm run bench -- a · a machine · 2026-01-01">1.3</span>',
  );
  expect(() => numberOf(`${record} runs.0.second .1`)).toThrow(`${record} has no runs.0.second.`);
  expect(tableOf(`record: ${record}\nrows: runs\ncolumns: { Name: name, Took: seconds .2 }`)).toContain(
    "<tr><td>&lt;a&gt;</td><td>1.26</td></tr>",
  );
  expect([shown(0.1234, "%1"), shown(1234567), shown(1e-7, "e1"), shown(null)]).toEqual([
    "12.3%",
    "1,234,567",
    "1.0e-7",
    "–",
  ]);
});

describe("links", () => {
  test("that are broken are found in the site", () => {
    const site = join(folder, "site");
    mkdirSync(join(site, "a"), { recursive: true });
    writeFileSync(
      join(site, "index.html"),
      '<h1 id="top"></h1><a href="a/b.html#here"></a><a href="#top"></a>',
    );
    writeFileSync(join(site, "a/b.html"), '<a href="../index.html#bottom"></a><img src="c.svg">');
    expect(brokenLinks(site).sort()).toEqual([
      "a/b.html links to ../index.html#bottom, which has no such heading.",
      "a/b.html links to c.svg, which is not there.",
      "index.html links to a/b.html#here, which has no such heading.",
    ]);
  });

  const rendered = (text: string) => {
    put("page.md", `# Page\n\n${text}\n`);
    const page = readPage("page.md", folder);
    return openMarkdown([page, readPage("start.md")], (code) => code)(page).html;
  };
  test("lead from page to page; files outside the site appear as their names", () => {
    expect(rendered("[a](start.md#install) and [`b`](../README.md)")).toContain(
      '<p><a href="start.html#install">a</a> and <code>b</code></p>',
    );
    expect(() => rendered("[a](nowhere.md)")).toThrow(
      "docs/page.md links to nowhere.md, which is not there.",
    );
    expect(() => rendered("[a](spec.md)")).toThrow("which navigation.yaml does not list");
  });
});

test("a page without a title, or with a setting that is not known, is refused", () => {
  put("no-title.md", "Text.\n");
  expect(() => readPage("no-title.md", folder)).toThrow("docs/no-title.md has no first heading");
  put("unknown.md", "---\nafer: start.md\n---\n# Page\n");
  expect(() => readPage("unknown.md", folder)).toThrow("docs/unknown.md has the setting afer");
});

test("the keys of an object of several kinds say which kinds have them", () => {
  const kind = (name: string, more = {}) => ({
    properties: { kind: { const: name }, level: { type: "number" }, ...more },
    required: ["kind"],
  });
  const keys = keysOf({ oneOf: [kind("a"), kind("b", { size: { type: "integer", default: 3 } })] });
  expect(keys.map(({ name, of, required }) => [name, of, required])).toEqual([
    ["kind", [], true],
    ["level", [], false],
    ["size", ["b"], false],
  ]);
  expect(taken(keys[0].schema)).toBe("a, b");
  expect(taken({ anyOf: [{ type: "number" }, { type: "array", items: { enum: ["x", "y"] } }] })).toBe(
    "number; or list of x, y",
  );
});

test("the search looks in every section under its own heading", () => {
  const html = '<h1 id="a">A</h1><p>first &amp; last</p><h2 id="b">Part <code>b</code></h2><p>zebra</p>';
  const script = searchScript([{ address: "a.html", title: "A", html, headings: [] }]);
  expect(script).toContain('{"page":"A","heading":"A","text":"first & last"}');
  expect(script).toContain('{"page":"A","heading":"Part b","text":"zebra"}');
  expect(script).toContain('"a.html#b"');
});
