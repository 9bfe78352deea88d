// Problems on the tables that come with scikit-learn, where a python3 has it.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { python, script } from "../peer.js";
import type { Table } from "../table.js";
import { alarms, type Case, losses, misses, mistakes, problem } from "./case.js";

const hard = { hard: true } as const;

/** As bundled.py prints them, now or into a file before; none where scikit-learn is missing. */
function tablesOf(file: string | undefined): Record<string, Table> | undefined {
  if (file !== undefined) return JSON.parse(readFileSync(file, "utf8"));
  const { status, stdout } = spawnSync(python, [script("truth/bundled.py")], {
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  return status === 0 ? JSON.parse(stdout) : undefined;
}

export function bundled(file?: string): readonly Case[] | undefined {
  const tables = tablesOf(file);
  if (!tables) return undefined;
  const on = (name: string) => () => tables[name];
  // Classes that a linear model separates have no best model without a decay.
  const decay = 0.001;
  return [
    problem("breast cancer: misses 0.01", on("breast_cancer"), misses(0.01, hard), { decay }),
    problem("breast cancer: misses 0.02, giving way", on("breast_cancer"), misses(0.02), {
      decay: 0.01,
      insist: true,
    }),
    problem("breast cancer: alarms 0.02", on("breast_cancer"), alarms(0.02, hard), { decay: 0.01 }),
    problem("breast cancer: losses in each group, giving way", on("breast_cancer"), losses(0.04), {
      decay: 0.003,
      feasible: false,
      insist: true,
    }),
    problem("breast cancer: misses 0.02", on("breast_cancer"), misses(0.02, hard), {
      decay: 0.003,
      mlp: true,
    }),
    problem("wine: mistakes 0.05 with room to spare", on("wine"), mistakes(0.05, hard), { decay }),
    problem("wine: misses of one class 0.02", on("wine"), misses(0.02, { class: "is class_1", ...hard }), {
      decay: 0.01,
      mlp: true,
    }),
    problem("iris: mistakes 0.01, giving way", on("iris"), mistakes(0.01), { decay, feasible: false }),
    problem("iris: losses in each class, giving way", on("iris"), losses(0.1, { by: "y" }), {
      decay,
      feasible: false,
    }),
    problem("digits: mistakes 0.02", on("digits"), mistakes(0.02, hard), { decay }),
    problem("digits: misses of eights 0.02", on("digits"), misses(0.02, { class: "is 8", ...hard }), {
      decay: 0.003,
    }),
    problem("digits: losses in each class, giving way", on("digits"), losses(0.1, { by: "y" }), {
      decay,
      feasible: false,
    }),
    problem("diabetes: squared error 0.50 in each group", on("diabetes"), losses(0.5, hard), { test: 100 }),
    problem("diabetes: squared error 0.40, giving way", on("diabetes"), losses(0.4), {
      feasible: false,
      insist: true,
    }),
    problem("diabetes: squared error 0.40, giving way", on("diabetes"), losses(0.4), {
      mlp: true,
      decay: 0.01,
      feasible: false,
    }),
  ];
}
