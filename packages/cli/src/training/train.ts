// pliant train: a spec file to a model, a run folder and a report in plain words.
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { progress } from "@pliant/learn/runs";
import {
  isViolated,
  nextSteps,
  opening,
  type RunOptions,
  readSpec,
  readSweep,
  reportText,
  type Setting,
  type SpecFile,
  summaryText,
  sweep,
  sweepText,
  sweptBefore,
  trainInFolder,
} from "@pliant/train";
import { InputError, unknownName } from "pliant";
import { readDevice, readSeed } from "../asked.js";

/** 1 where something that must hold does not. */
export async function trainCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      out: { type: "string" },
      hard: { type: "string", multiple: true, default: [] },
      set: { type: "string", multiple: true, default: [] },
      sweep: { type: "string" },
      resume: { type: "boolean", default: false },
      "no-insist": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      device: { type: "string" },
      seed: { type: "string" },
    },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0)
    throw new InputError("name one spec file: pliant train SPEC. An example: pliant example loans.");
  const settings = [
    ...values.set.map(readSetting),
    ...(values.seed === undefined ? [] : [{ key: "seed", value: String(readSeed(values.seed)) }]),
  ];
  const plain = readSpec(path, settings);
  const specFile = values.hard.length > 0 ? plain.with(hardSettings(plain, values.hard)) : plain;
  const name = specFile.spec.name ?? nameOf(path);
  const swept = values.sweep === undefined ? undefined : readSweep(values.sweep);
  const taken = (folder: string): boolean =>
    swept ? sweptBefore(folder, swept) : existsSync(join(folder, "run.json"));
  const say = (text: string): void => {
    if (!values.json) console.log(text);
  };
  const options: RunOptions = {
    name,
    out: values.out ?? freeFolder(name, taken, values.resume),
    device: values.device === undefined ? undefined : readDevice(values.device),
    resume: values.resume,
    progress: progress(),
    onData: (summary) => say(`${summaryText(summary)}\n`),
    // The points of a sweep are the curve itself.
    insist: !values["no-insist"] && swept === undefined,
  };
  if (swept) {
    const found = await sweep(specFile, swept, { ...options, onStart: opening(say) });
    console.log(values.json ? JSON.stringify(found, null, 2) : `\n${sweepText(found)}`);
    return Number(found.points.some(isViolated));
  }
  const { folder, report } = await trainInFolder(specFile, { ...options, onStart: opening(say) });
  console.log(
    values.json
      ? JSON.stringify({ run: folder, ...report }, null, 2)
      : `\n${reportText(report)}\n\n${nextSteps(folder)}`,
  );
  return Number(isViolated(report));
}

function readSetting(text: string): Setting {
  const at = text.indexOf("=");
  if (at < 1)
    throw new InputError(`--set takes KEY=VALUE, such as --set requirements.misses.level=0.2, not ${text}.`);
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}

/** A requirement of the spec, or one of its groups as reports name them: `misses [group=B]`. */
function hardSettings({ spec: { requirements } }: SpecFile, names: readonly string[]): Setting[] {
  const groups = new Map<string, string[]>();
  const whole = new Set<string>();
  for (const name of names) {
    const [, of = "", column, group] = /^(.*) \[(.*?)=(.*)\]$/.exec(name) ?? [];
    if (Object.hasOwn(requirements, name)) whole.add(name);
    else if (Object.hasOwn(requirements, of) && (requirements[of] as { by?: string }).by === column)
      groups.set(of, [...(groups.get(of) ?? []), group]);
    else throw unknownName("a requirement of the spec", name, Object.keys(requirements));
  }
  const already = (of: string): string[] => {
    const { hard } = requirements[of];
    return Array.isArray(hard) ? hard : [];
  };
  const setting = (of: string, key: "hard" | "cost", value: unknown): Setting => ({
    key: `requirements.${of}.${key}`,
    value: JSON.stringify(value),
    said: `--hard ${names.join(", ")}`,
  });
  return [
    ...[...groups].map(([of, values]) => setting(of, "hard", [...new Set([...already(of), ...values])])),
    // In place of a cost that the spec may name.
    ...[...whole].map((of) => setting(of, "cost", "hard")),
  ];
}

/** A file called spec goes by the name of its folder. */
function nameOf(path: string): string {
  const own = basename(path).replace(/\.(ya?ml|json)$/i, "");
  return own === "spec" ? basename(dirname(resolve(path))) || own : own;
}

/** runs/NAME, with no sign in the name that a path would take for its own. */
const folderOf = (name: string): string => join("runs", name.replace(/^\.+|[\\/:*?"<>|]+/g, "_"));

/** With a number where runs of the name exist: the next free one, or to go on with, the last. */
function freeFolder(name: string, taken: (folder: string) => boolean, resume: boolean): string {
  const folder = (i: number): string => (i === 1 ? folderOf(name) : `${folderOf(name)}-${i}`);
  let i = 1;
  while (taken(folder(i))) i++;
  return resume && i > 1 ? folder(i - 1) : folder(i);
}
