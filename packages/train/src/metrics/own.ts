// A metric from a user's file.
import * as z from "zod";
import { by, under } from "../grammar/keys.js";
import { kind } from "./kind.js";

export const ownKinds = [
  kind({
    name: "own",
    target: "any",
    keys: {
      ...by,
      ...under,
      use: z
        .string()
        .min(1)
        .describe("A TypeScript or JavaScript file with the metric, relative to the spec."),
    },
    row: ["the strict metric of your own file: `use: ./my-metric.ts`", "its trained metric"],
    make: ({ use }, { own }) => own(use),
  }),
] as const;
