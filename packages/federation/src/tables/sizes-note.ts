// Gradient steps suit numbers of about 1: a sentence about columns that are far from it.
import type { FederationSpec } from "../spec/spec.js";
import type { SiteTable } from "./site-table.js";

/** Undefined where the scale is agreed, or all columns are of about 1. */
export function sizesNote(table: SiteTable, { data }: FederationSpec): string | undefined {
  const { features, categories = {}, images, scale } = data;
  if (images || scale === "agreed") return undefined;
  const { x } = table.encoded().train;
  const [rows, width] = x.shape;
  let place = 0;
  const far = features.flatMap((name) => {
    const column = place;
    const isCategory = Object.hasOwn(categories, name);
    place += isCategory ? categories[name].length : data.missing?.includes(name) ? 2 : 1;
    if (isCategory) return [];
    const values = Array.from({ length: rows }, (_, row) => Number(x.data[row * width + column]));
    const centre = values.reduce((a, b) => a + b, 0) / rows;
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / rows);
    const isFar = Math.abs(centre) > 10 || spread > 10 || (spread > 0 && spread < 0.05);
    return isFar ? [`${name} (mean ${centre.toPrecision(3)}, spread ${spread.toPrecision(3)})`] : [];
  });
  return far.length === 0
    ? undefined
    : `Training may stall: these columns are far from standardised: ${far.join(", ")}. Use data.scale: agreed in the spec, or data.scale: { NAME: [centre, spread] }.`;
}
