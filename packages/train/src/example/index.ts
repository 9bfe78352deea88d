// The examples: a spec each, and the files it names.
import { loansCsv, loansSpec } from "./loans.js";
import { strokesSpec } from "./strokes.js";
import { cloudsCsv, svmSpec } from "./svm.js";

/** A spec, and the files that it names. */
export interface Example {
  readonly spec: string;
  readonly files: Readonly<Record<string, () => string>>;
}

/** The examples that `pliant example NAME` writes. */
export const examples: Readonly<Record<string, Example>> = {
  loans: { spec: loansSpec, files: { "loans.csv": loansCsv } },
  strokes: { spec: strokesSpec, files: {} },
  svm: { spec: svmSpec, files: { "clouds.csv": cloudsCsv } },
};

/** The spec as a file: editors find the schema by its first line. */
export const specText = (name: string, schema: string): string =>
  `# yaml-language-server: $schema=${schema}\n${examples[name].spec}`;
