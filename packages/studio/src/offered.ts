// The files of a run that may leave its folder, by name: what training writes to be read by others. A federation keeps keys, join
// codes and addresses with passwords beside them, so a file that is not named here is offered to nobody.

/** What each is to a reader. */
export const offered: Readonly<Record<string, string>> = {
  "report.json": "Report",
  "run.json": "What was asked",
  "metrics.jsonl": "Metrics",
  "metrics-thinned.jsonl": "Metrics, thinned",
  "checkpoint.safetensors": "Model checkpoint",
  "best.safetensors": "The best so far",
  "model.onnx": "Model, ONNX",
  "model.json": "Model of the federation",
  "federation.json": "State of the federation",
  "spec.yaml": "Spec",
  "spec.yml": "Spec",
  "spec.json": "Spec",
  "failed.txt": "Why it failed",
  "rows.csv": "Which rows are in which part",
  "held-out.json": "Scores of the held-out rows",
};

/** A line a row of the data, which may be a person: these stay on the machine. */
const perRow: ReadonlySet<string> = new Set(["rows.csv", "held-out.json"]);

/** For whom the printed address was opened, alone. */
export const isPerRow = (file: string): boolean => perRow.has(file);

/** Whether a file is given to whoever asks; `shared` with others, or to the owner alone. */
export const isOffered = (file: string, { shared }: { readonly shared: boolean }): boolean =>
  Object.hasOwn(offered, file) && !(shared && perRow.has(file));
