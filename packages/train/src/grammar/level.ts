// Levels: a number, a pair, or relative to the same metric over all examples at the same model.
import { InputError, nearest } from "@pliant/core";

/** factor · (the metric overall) + offset. */
export interface RelativeLevel {
  readonly factor: number;
  readonly offset: number;
}

const number = String.raw`(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)`;
const pattern = new RegExp(
  String.raw`^\s*overall\s*(?:\*\s*${number})?\s*(?:([+\-−])\s*${number})?\s*$`,
  "i",
);

/** `overall`, `overall + 0.02`, `overall * 1.1`, `overall * 0.9 - 0.01`. */
export function readLevel(text: string): RelativeLevel {
  const found = pattern.exec(text);
  if (!found) {
    const word = /^\s*(\p{L}+)/u.exec(text)?.[1] ?? "";
    const near = word.toLowerCase() !== "overall" && nearest(word, ["overall"]).length > 0;
    const percent = /^\s*(-?\d+\.?\d*)\s*%\s*$/.exec(text)?.[1];
    if (percent !== undefined)
      throw new InputError(
        `"${text}" is not a level. Write a share as a number between 0 and 1: for ${percent}%, write ${Number((Number(percent) / 100).toPrecision(6))}.`,
      );
    throw new InputError(
      `"${text}" is not a level${near ? '; did you mean "overall"?' : "."} Write a number, "overall + 0.02" or "overall * 1.1".`,
    );
  }
  const [, factor = "1", sign, offset = "0"] = found;
  return { factor: Number(factor), offset: (sign === undefined || sign === "+" ? 1 : -1) * Number(offset) };
}

export function showRelative({ factor, offset }: RelativeLevel): string {
  const times = factor === 1 ? "" : ` × ${factor}`;
  const plus = offset === 0 ? "" : ` ${offset > 0 ? "+" : "−"} ${Math.abs(offset)}`;
  return `overall${times}${plus}`;
}
