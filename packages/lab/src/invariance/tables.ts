// The rows as text: accuracies, method by variant, beside the paper's; and what each requirement gave and cost.
import { type Table, tableText } from "../table.js";
import { transformations } from "./recipe.js";
import type { Row } from "./rows.js";

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

export function tables(rows: readonly Row[]): Table[] {
  const groups = distinct(rows.map(({ dataset, model, preset }) => [dataset, model, preset].join(", ")));
  return groups.flatMap((group) => {
    const own = rows.filter(({ dataset, model, preset }) => [dataset, model, preset].join(", ") === group);
    const required = own.filter(({ requirements }) => Object.keys(requirements).length > 0);
    return [accuracies(group, own), ...(required.length > 0 ? [requirementTable(group, required)] : [])];
  });
}

export const tablesText = (rows: readonly Row[]): string => tables(rows).map(tableText).join("\n\n");

function accuracies(group: string, rows: readonly Row[]): Table {
  const variants = distinct(rows.map(({ variant }) => variant));
  const [{ epochs, seeds }] = rows;
  return {
    title: `Test accuracy in percent: ${group}, ${epochs} epochs, seed ${seeds.join(", ")}`,
    head: ["method", ...variants.flatMap((variant) => [variant, "paper"])],
    body: distinct(rows.map(({ method }) => method)).map((method) => [
      method,
      ...variants.flatMap((variant) => {
        const row = rows.find((r) => r.method === method && r.variant === variant);
        if (!row) return ["", ""];
        const { mean, std, paper } = row.accuracy;
        const spread = row.seeds.length > 1 ? ` ± ${std.toFixed(2)}` : "";
        return [`${mean.toFixed(2)}${spread}`, paper === undefined ? "" : paper.toFixed(2)];
      }),
    ]),
  };
}

function requirementTable(group: string, rows: readonly Row[]): Table {
  return {
    title: `Relaxations and prices: ${group}, level ${distinct(rows.map(({ requirements }) => requirements.rotation!.level)).join(", ")}`,
    head: ["variant", "method", ...transformations.flatMap((t) => [`${t} gave`, "price"])],
    body: rows.map(({ variant, method, requirements }) => [
      variant,
      method,
      ...transformations.flatMap((t) => {
        const { relaxation, price } = requirements[t]!;
        return [relaxation.toFixed(3), price.toFixed(3)];
      }),
    ]),
  };
}
