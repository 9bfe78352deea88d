// decision.json of a run: where scores become decisions, beside the model.

import { InputError } from "@pliant/core";
import { existsSync, join, readFileSync } from "@pliant/platform";
import * as z from "zod";
import type { Decision } from "../problem/decision.js";
import { writeWhole } from "../store/files.js";

export const decisionFile = "decision.json";

const stored = z.strictObject({
  threshold: z.number().optional(),
  by: z.strictObject({ column: z.string(), thresholds: z.record(z.string(), z.number()) }).optional(),
  offsets: z.array(z.number()).optional(),
});

export const writeDecision = (folder: string, { threshold, by, offsets }: Decision): void =>
  writeWhole(join(folder, decisionFile), `${JSON.stringify({ threshold, by, offsets }, null, 2)}\n`);

/** Undefined where nothing was learnt of it. */
export function readDecision(folder: string): Decision | undefined {
  const file = join(folder, decisionFile);
  if (!existsSync(file)) return undefined;
  try {
    return stored.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    throw new InputError(
      `${file} is damaged: it does not say where decisions are made; train the run again.`,
    );
  }
}
