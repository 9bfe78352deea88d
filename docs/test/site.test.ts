// The site as it is built, without a network: every page is there, and every link leads somewhere.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { brokenLinks } from "../src/links.js";
import { builtSite, pages } from "./built.js";

let site: string;
beforeAll(async () => {
  site = await builtSite();
});

describe("the site", () => {
  test("has every page, and a page of the API for every entry", () => {
    const built = readdirSync(site, { recursive: true, encoding: "utf8" }).map((path) =>
      path.replaceAll("\\", "/"),
    );
    expect(built).toEqual(expect.arrayContaining(pages.map(({ address }) => address)));
    const { exports } = JSON.parse(
      readFileSync(new URL("../../packages/cli/package.json", import.meta.url), "utf8"),
    );
    expect(built.filter((path) => /^api\/.*\.html$/.test(path))).toHaveLength(Object.keys(exports).length);
  });

  test("has no link that leads nowhere", () => {
    expect(brokenLinks(site)).toEqual([]);
  });

  test("asks no other host for anything", () => {
    for (const path of readdirSync(site, { recursive: true, encoding: "utf8" }))
      if (/\.(html|css)$/.test(path)) {
        const text = readFileSync(join(site, path), "utf8");
        expect(text, path).not.toMatch(/<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?\/\//);
        expect(text, path).not.toMatch(/url\(\s*["']?(?:https?:)?\/\//);
      }
  });
});
