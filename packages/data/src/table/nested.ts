// Columns of lists or objects, which a table cannot hold.
import { InputError } from "@pliant/core";
import type { ReadRequest } from "./read.js";

/** Told of each such column: it is left out where that is asked for, else refused. */
export const nestedIn =
  ({ source, onNested }: ReadRequest) =>
  (name: string, example: string): void => {
    if (!onNested)
      throw new InputError(
        `${source}: the column "${name}" holds lists or objects (${example}), and a table has one text or number in a cell; leave it out with data.columns.${name}: ignore.`,
      );
    onNested(name, example);
  };
