// A metric of one's own, from a file beside the spec: its default export says what is counted of the model's answers, and what is
// learnt from. Files of JavaScript are imported as they are. TypeScript is too where Node reads it; else the `typescript` that is installed
// beside the file turns it into JavaScript.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { InputError } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import { besideSpec, digest } from "../data/files.js";
import type { SpecFile } from "../spec/spec-file.js";
import { type Look, type Metric, trained } from "./metric.js";

/** What a file exports as its default. */
export interface OwnMetric {
  /** As reports call it. */
  readonly name: string;
  /**
   * A mean over examples (`mean`, unless given), of which each is strictly 0 or 1 (`rate`), or one number of all of them
   * (`statistic`), which count by weights with a mean of 1.
   */
  readonly kind?: "mean" | "rate" | "statistic";
  /** What is learnt from: [N], or of a statistic one number; it needs a slope. */
  trained(look: Look, weights: Tensor): Tensor;
  /** What levels are about and prices follow; what is trained unless given. */
  strict?(look: Look, weights: Tensor): Tensor;
}

/** By the path that a spec gives, with the SHA-256 of its file. */
export type OwnMetrics = Readonly<Record<string, { readonly metric: Metric; readonly sha256: string }>>;

export async function ownMetrics(specFile: SpecFile): Promise<OwnMetrics> {
  const found: Record<string, OwnMetrics[string]> = {};
  for (const [of, requirement] of Object.entries(specFile.spec.requirements)) {
    if (requirement.metric !== "own") continue;
    const { use } = requirement;
    const path = besideSpec(specFile, use);
    const wrong = (sentence: string): InputError =>
      specFile.mistake(["requirements", of, "use"], `requirements.${of}.use: ${sentence}`);
    if (!existsSync(path)) throw wrong(`there is no file ${path}.`);
    const sha256 = await digest(path);
    const { default: own } = await imported(path, sha256, wrong);
    found[use] = { metric: metricFrom(own, use, wrong), sha256 };
  }
  return found;
}

const kinds: readonly unknown[] = [undefined, "mean", "rate", "statistic"];

function metricFrom(own: unknown, file: string, wrong: (sentence: string) => InputError): Metric {
  const given = own as Partial<OwnMetric> | undefined;
  if (typeof given !== "object" || given === null || typeof given.trained !== "function")
    throw wrong(`${file} has no default export with a function called trained.`);
  if (typeof given.name !== "string" || given.name === "")
    throw wrong(`the default export of ${file} has no name, by which reports would call it.`);
  if (!kinds.includes(given.kind))
    throw wrong(`the kind that ${file} gives is "${given.kind}", and should be mean, rate or statistic.`);
  if (given.strict !== undefined && typeof given.strict !== "function")
    throw wrong(`strict in ${file} is no function.`);
  const { name, kind = "mean", trained: learnt, strict } = given as OwnMetric;
  const described = {
    strictly: name,
    level: strict ? ("strict" as const) : ("trained" as const),
    ...trained(learnt as (look: Look, weights: Tensor) => Tensor),
    strict: (strict ?? learnt) as (look: Look, weights: Tensor) => Tensor,
  };
  return { kind, ...described } as Metric;
}

type Module = { readonly default?: unknown };

async function imported(
  path: string,
  sha256: string,
  wrong: (sentence: string) => InputError,
): Promise<Module> {
  // A file that changed is another module.
  const load = (file: string): Promise<Module> =>
    import(/* @vite-ignore */ `${pathToFileURL(file).href}?${sha256.slice(0, 12)}`);
  const isTypeScript = /\.[cm]?ts$/.test(path);
  const readsTypeScript = Boolean((process.features as { typescript?: unknown }).typescript);
  try {
    if (!isTypeScript || readsTypeScript) return await load(path);
    // Beside the file, so that what it imports is found from there.
    const there = join(dirname(path), `.${basename(path)}.${process.pid}.mjs`);
    try {
      writeFileSync(there, asJavaScript(path, wrong));
      return await load(there);
    } finally {
      rmSync(there, { force: true });
    }
  } catch (reason) {
    if (reason instanceof InputError) throw reason;
    throw wrong(`${path} cannot be used: ${(reason as Error).message.split("\n")[0]}`);
  }
}

interface TypeScript {
  readonly ModuleKind: { readonly ESNext: number };
  readonly ScriptTarget: { readonly ES2022: number };
  transpileModule(text: string, options: object): { readonly outputText: string };
}

function asJavaScript(path: string, wrong: (sentence: string) => InputError): string {
  const { ModuleKind, ScriptTarget, transpileModule } = typescriptBeside(path, wrong);
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
  return transpileModule(readFileSync(path, "utf8"), { compilerOptions, fileName: path }).outputText;
}

/** That of the person's own project, else of where `pliant` is run. */
function typescriptBeside(path: string, wrong: (sentence: string) => InputError): TypeScript {
  for (const from of [path, join(process.cwd(), "package.json")])
    try {
      return createRequire(from)("typescript") as TypeScript;
    } catch {}
  throw wrong(
    `Node ${process.versions.node} does not read TypeScript by itself; run npm install --save-dev typescript beside it, take Node 22.18 or later, or write it as JavaScript (.mjs).`,
  );
}
