// pliant publish: runs as a static page, with a note for runs without a report.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publish } from "@pliant/studio";
import { expect, test } from "vitest";
import { publishedWords } from "../src/publish.js";

test("a run without a report is published, with a note", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-publish-"));
  for (const name of ["done", "begun"]) {
    mkdirSync(join(folder, "runs", name), { recursive: true });
    writeFileSync(join(folder, "runs", name, "run.json"), JSON.stringify({ command: "train", name }));
  }
  writeFileSync(join(folder, "runs", "done", "report.json"), JSON.stringify({ requirements: {}, steps: 5 }));
  // The page itself is tested in a browser.
  const page = join(folder, "page");
  mkdirSync(page);
  writeFileSync(join(page, "index.html"), '<script type="module" src="./page.js"></script>');
  const all = await publish({ runs: join(folder, "runs"), out: join(folder, "all"), page });
  expect(all).toEqual({ count: 2, unfinished: ["begun"] });
  expect(publishedWords(all, "out")).toBe(
    "2 runs are in out; open out/index.html. begun has no report yet: the page shows the steps so far, without test results or the cost of requirements.",
  );
  const one = await publish({ runs: join(folder, "runs", "done"), out: join(folder, "one"), page });
  expect(publishedWords(one, "out")).toBe("One run is in out; open out/index.html.");
  expect(publishedWords({ count: 1, unfinished: ["."] }, "out")).toContain("It has no report yet: the page");
  expect(publishedWords({ count: 9, unfinished: ["a", "b", "c", "d"] }, "out")).toContain(
    "a, b, c and 1 more have no report yet",
  );
});
