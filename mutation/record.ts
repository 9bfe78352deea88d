// What is kept of a run: how many faults were seen, by file, and each that was not, with the reason where there is one.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { join } from "node:path";
import { reasons } from "./reasons.js";

interface Place {
  readonly line: number;
  readonly column: number;
}
interface Mutant {
  readonly status: "Killed" | "Timeout" | "Survived" | "NoCoverage" | string;
  readonly replacement?: string;
  readonly location: { readonly start: Place; readonly end: Place };
}
interface StrykerResults {
  readonly files: Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>;
}

export interface Count {
  /** Per cent of the faults that a test saw. */
  readonly score: number;
  readonly killed: number;
  readonly timeout: number;
  readonly survived: number;
  readonly noCoverage: number;
}

/** What a file of results holds. */
export interface Kept extends Count {
  readonly commit: string;
  /** The day of the run; older records have none. */
  readonly date?: string;
  readonly survivors: readonly string[];
}

function countOf(mutants: readonly Mutant[]): Count {
  const of = (status: string): number => mutants.filter((mutant) => mutant.status === status).length;
  const [killed, timeout, survived, noCoverage] = ["Killed", "Timeout", "Survived", "NoCoverage"].map(of);
  const seen = killed + timeout;
  const score = Math.round((10_000 * seen) / Math.max(1, seen + survived + noCoverage)) / 100;
  return { score, killed, timeout, survived, noCoverage };
}

/** The text between two places; the lines and columns of both count from 1. */
function textAt(source: string, { start, end }: Mutant["location"]): string {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return lines.map((line) => line.trim()).join(" ");
}

const short = (text: string): string => (text.length > 100 ? `${text.slice(0, 97)}…` : text);

export function record(name: string, root: string): Count {
  const { files } = JSON.parse(
    readFileSync(join(root, "mutation/seen", `${name}.json`), "utf8"),
  ) as StrykerResults;
  const version = (of: string): string =>
    JSON.parse(readFileSync(createRequire(import.meta.url).resolve(`${of}/package.json`), "utf8")).version;
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const survivors = Object.entries(files).flatMap(([path, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status === "Survived" || status === "NoCoverage")
      .map((mutant) => {
        const [from, to] = [textAt(source, mutant.location), (mutant.replacement ?? "").replace(/\s+/g, " ")];
        const why = reasons.find(
          (reason) => path.endsWith(reason.file) && reason.from === from && reason.to === to,
        );
        const place = `${path.replace(/^packages\//, "")}:${mutant.location.start.line}`;
        return `${place} ${short(from)} → ${short(to)}${why ? ` (${why.why})` : ""}`;
      }),
  );
  const counted = countOf(Object.values(files).flatMap(({ mutants }) => mutants));
  const kept = {
    command: `npm run mutate -- ${name}`,
    ...counted,
    commit: git("rev-parse", "--short", "HEAD"),
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0].model,
    versions: {
      node: process.versions.node,
      stryker: version("@stryker-mutator/core"),
      vitest: version("vitest"),
    },
    files: Object.fromEntries(Object.entries(files).map(([path, { mutants }]) => [path, countOf(mutants)])),
    survivors,
  };
  mkdirSync(join(root, "mutation/results"), { recursive: true });
  writeFileSync(join(root, "mutation/results", `${name}.json`), `${JSON.stringify(kept, undefined, 2)}\n`);
  return counted;
}
