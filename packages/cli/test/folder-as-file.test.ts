// A folder where a file belongs is answered in a sentence that names it, by every command that reads a file.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "@pliant/core";
import { expect, test } from "vitest";
import { commands } from "../src/commands.js";

const place = mkdtempSync(join(tmpdir(), "pliant-folder-"));
const folder = join(place, "a-folder");
mkdirSync(folder);
writeFileSync(join(place, "rows.csv"), "x,y\n1,0\n2,1\n");
const specOf = (text: string, name = "spec.yaml"): string => {
  const file = join(place, name);
  writeFileSync(file, text);
  return file;
};
const own = specOf(
  "data: { file: rows.csv, target: y }\nmodel: { kind: linear }\nrequirements: { r: { metric: own, use: ./a-folder, level: 0.1 } }\n",
  "own.yaml",
);

test.each([
  ["a spec", ["train", folder]],
  ["a table", ["inspect", folder]],
  ["a metric of one's own", ["train", own, "--out", join(place, "run")]],
  ["the spec of a federation", ["federate", "serve", folder]],
  ["the program of a simulation", ["federate", "simulate", folder]],
  ["an inspection", ["federate", "schema", folder, "--target", "y"]],
  ["a table to inspect for a federation", ["federate", "inspect", folder]],
  ["a join code", ["federate", "join", folder, "--data", join(place, "rows.csv")]],
  [
    "a policy",
    ["federate", "join", "--resume", place, "--data", join(place, "rows.csv"), "--policy", folder],
  ],
  [
    "an authority",
    ["federate", "join", "--resume", place, "--data", join(place, "rows.csv"), "--ca", folder],
  ],
])("%s", async (_, [command, ...rest]) => {
  const reason = await commands[command].run(rest).catch((error: unknown) => error);
  expect(reason).toBeInstanceOf(InputError);
  expect((reason as Error).message).toMatch(
    /a-folder is a folder( without Parquet files)?, and a file was expected\.$/,
  );
});
