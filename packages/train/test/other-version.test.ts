// A checkpoint of another version of pliant, whose steps remembered other things: what happened, and what to do.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SolverState } from "@pliant/core";
import { full } from "@pliant/engine";
import { decodeState, encodeState } from "@pliant/learn/runs";
import { expect, test } from "vitest";
import { insistOn } from "../src/run/insist.js";
import { trainInFolder } from "../src/run/run.js";
import { readSpec } from "../src/spec/spec-file.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-version-"));
const rows = Array.from(
  { length: 60 },
  (_, i) => `${i % 7},${i % 5},${(i % 7) + (i % 3) > 4 ? "yes" : "no"}`,
);
writeFileSync(join(folder, "rows.csv"), ["a,b,y", ...rows, ""].join("\n"));
writeFileSync(
  join(folder, "spec.yaml"),
  `data: { file: rows.csv, target: y }
model: { kind: linear }
decision: { threshold: 0.5 }
objective: { decay: 0.01 }
requirements: { wrong: { metric: error, level: 0.01 } }
`,
);
const out = join(folder, "run");
const train = (resume: boolean) =>
  trainInFolder(readSpec(join(folder, "spec.yaml")), {
    ...{ name: "it", out, resume, device: "cpu", insist: false },
    progress: { show: () => {}, end: () => {} },
  });

test("is refused in a sentence by --resume and by insist, and trained again without", async () => {
  await train(false);
  const checkpoint = join(out, "checkpoint.safetensors");
  const saved = readFileSync(checkpoint);
  const state = decodeState<SolverState>(saved, checkpoint);
  const memory = { ...(state.optimizer as object), forgotten: full([], 1) };
  const sentence = `the run in ${out} was saved by another version of pliant, which is incompatible with this one; retrain without --resume.`;
  for (const optimizer of [memory, { forgotten: full([], 1) }]) {
    writeFileSync(checkpoint, encodeState({ ...state, optimizer } as SolverState));
    await expect(train(true)).rejects.toThrow(sentence);
    await expect(insistOn(out, "wrong")).rejects.toThrow(sentence);
  }
  writeFileSync(checkpoint, saved);
  await train(true);
});
