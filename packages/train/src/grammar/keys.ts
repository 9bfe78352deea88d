// The keys that requirements share, and those that several metrics have.
import * as z from "zod";
import { costNames, costOf, costPattern } from "./cost.js";
import { readLevel } from "./level.js";
import { count, label, positive } from "./parts.js";

const level = z
  .union(
    [
      z.number(),
      z.tuple([z.number(), z.number()]),
      z.string().superRefine(checked(readLevel)),
      z.record(z.string(), z.number()),
    ],
    {
      error:
        'a number, a pair [low, high], a text like "overall + 0.02" or "overall * 1.1", or by group { A: 0.1, B: 0.15 }',
    },
  )
  .describe(
    'A number, [low, high], relative to the same metric overall ("overall + 0.02", "overall * 1.1"), or a number for each group.',
  );

export const cost = z
  .string()
  .superRefine(checked(costOf))
  .meta({ description: `The cost of giving way: ${costNames.join(", ")}.`, pattern: costPattern });

/** Keys of every requirement. */
export const asked = {
  level,
  sense: z
    .enum(["at most", "at least"])
    .optional()
    .describe(
      "Whether the level is an upper or a lower bound; default: at most, but at least for margin, precision, F1 and AUC.",
    ),
  cost: cost.optional(),
  hard: z
    .union([z.boolean(), z.array(label)], { error: "true, false, or a list of groups" })
    .default(false)
    .describe(
      "Whether the requirement must not give way; a list names the groups, or the requirements as reports print them.",
    ),
  rate: positive.optional().describe("The step size of its price, relative to that of the others."),
};

export const groupsBy = z
  .union([z.string(), z.array(z.string()).min(2)], { error: "a column, or a list of columns" })
  .describe(
    "One requirement per group of this column, or per combination of several columns, each with its own price.",
  );

export const by = {
  by: groupsBy.optional(),
  only: z.array(label).min(1).optional().describe("The groups that it applies to; default: all."),
  gap: z.boolean().default(false).describe("Bounds each group's metric minus that of the other groups."),
  worst: z.literal(true).optional().describe("A single requirement, with one price, on the worst group."),
};

const range = z
  .union([z.number().min(0), z.tuple([z.number(), z.number()])], { error: "a number or a pair [low, high]" })
  .describe("A number r for −r to r, or a pair.");

export const under = {
  under: z
    .strictObject({
      noise: positive.optional().describe("Tables: uniform noise of up to this many standard deviations."),
      columns: z
        .array(z.string())
        .min(1)
        .optional()
        .describe("The columns that get the noise; default: all numeric ones."),
      rotation: range.optional().describe("Images: degrees, counterclockwise."),
      translation: range
        .optional()
        .describe("Images: shares of the width and of the height, to the right and down."),
      scale: z
        .tuple([positive, positive], { error: "a pair [smallest, largest]" })
        .optional()
        .describe("Images: size, as in [0.8, 1.25]."),
      draws: count.default(1).describe("Draws for each example, made once from the seed."),
    })
    .optional()
    .describe("Evaluates the metric on disturbed examples."),
};

export const perExample = {
  per: z.literal("example").optional().describe("One requirement per example, each with its own price."),
};

export const ofClass = {
  class: label.optional().describe("The class that it counts; default: the positive one of two."),
};

export const step = positive.default(0.25).describe("How far the column is moved, in standard deviations.");

/** A text that `read` must accept; its error message is the issue. */
function checked(read: (text: string) => unknown) {
  return (text: string, context: z.RefinementCtx): void => {
    try {
      read(text);
    } catch (reason) {
      context.addIssue({ code: "custom", message: (reason as Error).message });
    }
  };
}
