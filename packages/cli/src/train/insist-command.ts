// pliant insist: what it would cost a finished run to insist on a requirement, at its level or another.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { full } from "@pliant/engine";
import { open } from "@pliant/engine/device";
import { decodeState } from "@pliant/learn/runs";
import { createSolver, InputError, insist, type SolverState, unknownName } from "pliant";
import { insistedWords } from "../sentences.js";
import { finishedRun, specCopy } from "./asked.js";
import { stepsFor } from "./budget.js";
import { readLevel } from "./level.js";
import { toldOf } from "./measured.js";
import { prepare } from "./prepare.js";
import { askedOf } from "./report.js";
import { solverOptions } from "./solving.js";
import { readSpec } from "./spec-file.js";
import type { Stated } from "./stated.js";

export async function insistCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: "boolean", default: false } },
  });
  const [folder, name, text, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new InputError(
      'name a run, a requirement of it and perhaps a level: pliant insist RUN "NAME" 0.1.',
    );
  const { asked, report } = finishedRun(folder);
  if (!Object.hasOwn(report.requirements, name))
    throw unknownName("a requirement of the run", name, Object.keys(report.requirements));
  if (!report.certificate.holds) {
    console.error(
      `pliant insist: the run in ${folder} is not certified, so there is nothing to compare with: ${report.certificate.short.join("; ")}.`,
    );
    return 1;
  }
  const { task } = await prepare(readSpec(join(folder, specCopy)));
  const stated = task.stated.find((s) => s.name === name)!;
  if (stated.perExample)
    throw new InputError(
      `${name} is on every example; insist on it with pliant train --hard "${stated.of}".`,
    );
  const level = text === undefined ? undefined : levelOf(text, stated);
  const backend = await open(asked.device, { precision: "float32" });
  try {
    const seen = await task.solvedOn(0);
    const solver = await createSolver(
      task.problem,
      solverOptions(asked.spec, { ...seen, decay: full([], asked.capacity.decay) }, backend),
    );
    const file = join(folder, "checkpoint.safetensors");
    if (!existsSync(file)) throw new InputError(`the run in ${folder} has no ${file} to start from.`);
    const solution = await solver.inspect(decodeState<SolverState>(readFileSync(file), file));
    const found = await insist(solver, solution, name, {
      steps: stepsFor(asked.spec, asked.data.train),
      ...(level !== undefined && { level }),
    });
    const insisting = toldOf(found, solution.report.requirements[name]);
    const what = askedOf({
      ...report.requirements[name],
      ...(level !== undefined && { level, relative: text }),
    });
    console.log(
      values.json
        ? JSON.stringify({ run: folder, name, ...insisting }, null, 2)
        : `${name}, ${what}: ${insistedWords(insisting, stated.relative !== undefined)}`,
    );
    return 0;
  } finally {
    await backend.close();
  }
}

/** A number, or of a relative level another one relative to the same. */
function levelOf(text: string, { relative, name }: Stated): number {
  if (!relative) {
    const level = Number(text);
    if (text.trim() !== "" && Number.isFinite(level)) return level;
    throw new InputError(`"${text}" is not a level of ${name}; it is a number.`);
  }
  const { factor, offset } = readLevel(text);
  if (factor === relative.factor) return offset;
  throw new InputError(
    `${name} was trained beside overall × ${relative.factor}; another factor is another run: pliant train --set.`,
  );
}
