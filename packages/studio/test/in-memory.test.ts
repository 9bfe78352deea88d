// A run in memory is told as the server tells the same folder.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunDetail, Series } from "../src/api.js";
import { curvesOf, detailOf, modelOf } from "../src/in-memory.js";
import { writeRun } from "./fixtures.js";
import { get, runs, serveEach } from "./served.js";

serveEach();

const filesOf = (folder: string) =>
  new Map(readdirSync(folder).map((file) => [file, new Uint8Array(readFileSync(join(folder, file)))]));

test("a finished run in memory is described as the server describes its folder", async () => {
  writeRun(runs, "loans");
  const { summary, run, report, ended, spec, files } = await get<RunDetail>("run", { name: "loans" });
  const own = detailOf("loans", filesOf(join(runs, "loans")));
  // When files changed on a disk is not known in memory.
  expect({ ...own.summary, updated: 0 }).toEqual({ ...summary, updated: 0 });
  expect(own).toMatchObject({ run, report, ended, spec });
  expect([...own.files].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(files);
  const series = await get<Series>("series", { name: "loans" });
  const curves = curvesOf(filesOf(join(runs, "loans")));
  expect({ ...JSON.parse(JSON.stringify(curves)), version: "" }).toEqual({ ...series, version: "" });
  expect(modelOf(filesOf(join(runs, "loans")))).toBeUndefined();
});

test("one without a report stands as the page says", () => {
  writeRun(runs, "open");
  rmSync(join(runs, "open", "report.json"));
  const files = filesOf(join(runs, "open"));
  expect(detailOf("open", files).summary.status).toBe("stopped");
  expect(detailOf("open", files, "running").summary.status).toBe("running");
});
