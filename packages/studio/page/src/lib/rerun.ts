// The command that trains a run again.
import type { RunDetail } from "../../../src/api.js";
import { fields } from "../../../src/fields.js";

/** A word of a command line, quoted where a shell would split or expand it. */
export const word = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The options of a reproduction, by what its recipe calls them. */
const recipeOptions: Record<string, string> = {
  ...Object.fromEntries(
    [
      "dataset",
      "variant",
      "method",
      "model",
      "preset",
      "epochs",
      "subset",
      "clients",
      "rounds",
      "ratio",
      "cost",
      "alpha",
    ].map((name) => [name, name]),
  ),
  level: "epsilon",
};

/** Into a folder of its own, beside the run. Undefined where run.json does not say enough. */
export function rerunCommand(detail: RunDetail): string | undefined {
  const { summary, spec, path, again } = detail;
  if (!spec) return reproduceCommand(detail, again);
  return `npx pliant train ${word(`${path}/${spec.file}`)}${deviceOption(summary)} --out ${word(again)}`;
}

const deviceOption = ({ device }: RunDetail["summary"]): string =>
  device === null ? "" : ` --device ${word(device)}`;

function reproduceCommand({ run, summary }: RunDetail, out: string): string | undefined {
  const recipe = (run.recipe ?? run.settings) as Record<string, unknown> | undefined;
  const what = { "reproduce invariance": "invariance", federated: "federated" }[summary.command];
  if (!what || !recipe) return undefined;
  const given = Object.entries(recipeOptions)
    .filter(([key]) => ["string", "number"].includes(typeof recipe[key]))
    .map(([key, option]) => ` --${option} ${word(String(recipe[key]))}`);
  const seeds = (summary.seed ?? "").replaceAll(", ", ",");
  return `npx pliant reproduce ${what}${given.join("")} --seeds ${seeds}${deviceOption(summary)} --out ${word(out)}`;
}

/** The spec of a run trained another way, into a folder of its own. Undefined where the run has no spec file. */
export function trainCommand(
  { summary, spec, path, again }: RunDetail,
  options: readonly string[],
): string | undefined {
  if (!spec || summary.command !== "train") return undefined;
  return `npx pliant train ${[`${path}/${spec.file}`, ...options].map(word).join(" ")} --out ${word(again)}`;
}

/** Folders that a reproduction makes below its --out: the experiment, its settings and the seed. */
const reproducedDepth = 3;

/** Goes on with a run where it stopped. */
export function resumeCommand(detail: RunDetail): string | undefined {
  const { summary, spec, path } = detail;
  if (spec)
    return summary.command === "train"
      ? `npx pliant train ${word(`${path}/${spec.file}`)} --resume --out ${word(path)}`
      : undefined;
  if (summary.name.split("/").length < reproducedDepth) return undefined;
  const command = reproduceCommand(detail, above(path));
  return command && `${command} --resume`;
}

const above = (path: string): string => path.split("/").slice(0, -reproducedDepth).join("/") || ".";

/** Only what may give way has a cost. */
const ofCosts: readonly string[] = ["cost", "alpha"];

/** A reproduction by another method, into the folder of this one: it names the folders below it by what it does. */
export function methodCommand(detail: RunDetail, method: string): string | undefined {
  const { run, summary, path } = detail;
  const key = run.recipe === undefined ? "settings" : "recipe";
  const asked = Object.entries(fields(run[key])).filter(
    ([name]) => method === "resilient" || !ofCosts.includes(name),
  );
  const other = { ...detail, run: { ...run, [key]: { ...Object.fromEntries(asked), method } } };
  const inPlace = summary.name.split("/").length >= reproducedDepth;
  return reproduceCommand(other, inPlace ? above(path) : `${path}-${method}`);
}

/** The spec as text: the file, or what run.json holds of it. */
export function specText({ run, spec }: RunDetail): string | undefined {
  if (spec) return spec.text;
  const held = run.spec ?? run.recipe ?? run.settings;
  return held === undefined ? undefined : JSON.stringify(held, null, 2);
}
