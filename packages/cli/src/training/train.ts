// pliant train: trains a spec file into a run folder and prints the report.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "@pliant/core";
import { progress } from "@pliant/learn/runs";
import {
  isViolated,
  nextSteps,
  opening,
  type RunOptions,
  readSpec,
  readSweeps,
  repeatedBefore,
  repeatsOf,
  repeatsText,
  reportText,
  summaryText,
  sweep,
  sweepRepeats,
  sweepRepeatsText,
  sweepText,
  sweptBefore,
  trainInFolder,
  trainRepeats,
} from "@pliant/train";
import { readArgs } from "../arguments.js";
import { paintReport } from "../colours.js";
import { readDevice, readPrecision, readSeed, shared } from "../options.js";
import { withInput } from "../streams.js";
import { chosenFolder, nameOf, refuseUnwritable } from "./folders.js";
import { hardSettings, readSetting } from "./settings.js";

/** Returns 1 if a hard requirement is violated. */
export async function trainCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "train SPEC",
    about:
      "Trains a model under the requirements of a spec file, and reports which requirements gave way and at what cost.\n`pliant example` writes a first spec, `pliant schema` lists every key. Use - to read the spec from standard input.",
    options: {
      out: {
        type: "string",
        value: "DIR",
        about: "the run folder (default: runs/NAME; runs/NAME-2 and so on if it has a run)",
      },
      force: {
        type: "boolean",
        default: false,
        about: "with --out: replace the run in that folder",
      },
      resume: shared.resume,
      set: {
        type: "string",
        value: "KEY=VALUE",
        multiple: true,
        default: [],
        about: "override a value of the spec, as in requirements.misses.level=0.2",
      },
      hard: {
        type: "string",
        value: "NAME",
        multiple: true,
        default: [],
        about: "make a requirement, or one of its groups (named as in reports), hard",
      },
      sweep: {
        type: "string",
        value: "KEY=A,B,…",
        multiple: true,
        default: [],
        about: "train one run per value; several sweeps make a grid; the key cost multiplies all costs",
      },
      queue: {
        type: "string",
        value: "URL",
        about: "with --sweep: let workers train the runs, through nats://HOST:PORT (see pliant work)",
      },
      "no-insist": {
        type: "boolean",
        default: false,
        about: "do not measure what making requirements hard would cost",
      },
      seed: { type: "string", value: "N", about: "override the seed of the spec" },
      seeds: { type: "string", value: "A-B", about: "train several seeds together, and print a summary" },
      device: { type: "string", value: "NAME", about: "auto, cpu, cuda or reference" },
      precision: {
        type: "string",
        value: "NAME",
        about: "precision of matrix products on a GPU: float32, tf32 or bf16 (default: float32)",
      },
      json: shared.json,
    },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0)
    throw new InputError("name one spec file: pliant train SPEC. An example: pliant example loans.");
  if (path === "-") {
    const name = `stdin-${process.pid}.yaml`;
    return withInput(path, (file) => trainCommand(args.map((arg) => (arg === "-" ? file : arg))), { name });
  }
  const settings = [
    ...values.set.map(readSetting),
    ...(values.seed === undefined
      ? []
      : [
          { key: "seed", value: String(readSeed(values.seed)) },
          { key: "seeds", value: undefined },
        ]),
    ...(values.seeds === undefined
      ? []
      : [{ key: "seeds", value: values.seeds, said: `--seeds ${values.seeds}` }]),
  ];
  const plain = readSpec(path, settings);
  const specFile = values.hard.length > 0 ? plain.with(hardSettings(plain, values.hard)) : plain;
  const name = specFile.spec.name ?? nameOf(path);
  const swept = values.sweep.length === 0 ? undefined : readSweeps(values.sweep);
  if (values.queue !== undefined && !swept)
    throw new InputError("--queue goes with --sweep: a single run has nothing to share out.");
  const planned = repeatsOf(specFile);
  if (planned && values.queue !== undefined)
    throw new InputError(
      "--queue shares out one run at each value; give one seed and one fold, or leave it out.",
    );
  const isThere = (folder: string, file: string): boolean =>
    existsSync(join(folder, file)) || (planned !== undefined && repeatedBefore(folder, planned, file));
  const hasRun = (folder: string, file = "run.json"): boolean =>
    swept ? sweptBefore(folder, swept, (point) => isThere(point, file)) : isThere(folder, file);
  const say = (text: string): void => {
    if (!values.json) console.log(text);
  };
  // The run folder is announced on standard error, so that standard output stays valid JSON.
  const out = chosenFolder(values, name, hasRun, values.json ? console.error : say);
  refuseUnwritable(out);
  const options: RunOptions = {
    name,
    out,
    device: readDevice(values.device),
    ...(values.precision !== undefined && { precision: readPrecision(values.precision) }),
    resume: values.resume,
    progress: progress(),
    onData: (summary) => say(`${summaryText(summary)}\n`),
    // A sweep is its own price curve.
    insist: !values["no-insist"] && swept === undefined,
  };
  if (swept && planned) {
    const found = await sweepRepeats(specFile, swept, { ...options, onStart: opening(say) });
    console.log(values.json ? JSON.stringify(found.sweep, null, 2) : `\n${sweepRepeatsText(found.sweep)}`);
    return Number(found.reports.some(isViolated));
  }
  if (swept) {
    const found =
      values.queue === undefined
        ? await sweep(specFile, swept, { ...options, onStart: opening(say) })
        : await (await import("../queue/sweep.js")).sweepByQueue(values.queue, specFile, swept, options);
    console.log(values.json ? JSON.stringify(found, null, 2) : `\n${sweepText(found)}`);
    return Number(found.points.some(isViolated));
  }
  if (planned) {
    const { repeats, reports } = await trainRepeats(specFile, planned, { ...options, onStart: opening(say) });
    console.log(
      values.json
        ? JSON.stringify({ folder: options.out, ...repeats }, null, 2)
        : `\n${repeatsText(repeats)}\n\n${nextSteps(options.out)}`,
    );
    return Number(reports.some(isViolated));
  }
  const { folder, report } = await trainInFolder(specFile, { ...options, onStart: opening(say) });
  console.log(
    values.json
      ? JSON.stringify({ run: folder, ...report }, null, 2)
      : `\n${paintReport(reportText(report))}\n\n${nextSteps(folder)}`,
  );
  return Number(isViolated(report));
}
