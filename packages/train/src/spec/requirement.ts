// What a spec may ask: each metric with what belongs to it.
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
  .meta({ description: `What giving way costs: ${costNames.join(", ")}.`, pattern: costPattern });

const asked = {
  level,
  sense: z
    .enum(["at most", "at least"])
    .optional()
    .describe("at most unless given; margins, precision, F1 and AUC at least."),
  cost: cost.optional(),
  hard: z
    .union([z.boolean(), z.array(label)], { error: "true, false, or a list of groups" })
    .default(false)
    .describe(
      "Must not give way; a list names the groups that must not, or its requirements as reports print them.",
    ),
  rate: positive.optional().describe("The rate of its price, in units of that of the others."),
};

const groupsBy = z
  .union([z.string(), z.array(z.string()).min(2)], { error: "a column, or a list of columns" })
  .describe("A requirement for each group of this column, or of several together, with a price of its own.");

const by = {
  by: groupsBy.optional(),
  only: z.array(label).min(1).optional().describe("The groups it is asked of; all unless given."),
  gap: z.boolean().default(false).describe("Each group's metric minus that of the rest."),
  worst: z
    .literal(true)
    .optional()
    .describe("One requirement on the group that is worst, with one price, instead of one for each."),
};

const range = z
  .union([z.number().min(0), z.tuple([z.number(), z.number()])], { error: "a number or a pair [low, high]" })
  .describe("A number r for −r to r, or a pair.");

const under = {
  under: z
    .strictObject({
      noise: positive.optional().describe("Columns: uniform, up to so many standard deviations either way."),
      columns: z
        .array(z.string())
        .min(1)
        .optional()
        .describe("The columns it is added to; all numeric ones unless given."),
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
    .describe("Measured on disturbed examples instead."),
};

const ofClass = {
  class: label.optional().describe("The class it is about; of two classes the positive one unless given."),
};

const step = positive.default(0.25).describe("How far the column is moved, in its standard deviations.");

export const requirement = z.discriminatedUnion("metric", [
  z.strictObject({
    metric: z.literal("loss"),
    ...asked,
    ...by,
    ...under,
    per: z.literal("example").optional().describe("On every example, with a price each."),
  }),
  z.strictObject({ metric: z.literal("error"), ...asked, ...by, ...under }),
  ...(["false-positive-rate", "false-negative-rate", "positive-rate"] as const).map((metric) =>
    z.strictObject({ metric: z.literal(metric), ...asked, ...by, ...under, ...ofClass }),
  ),
  ...(["precision", "false-discovery-rate", "f1"] as const).map((metric) =>
    z.strictObject({ metric: z.literal(metric), ...asked, ...by, ...under, ...ofClass }),
  ),
  ...(["demographic-parity", "equalised-odds"] as const).map((metric) =>
    z.strictObject({
      metric: z.literal(metric),
      ...asked,
      by: groupsBy,
      only: by.only,
      ...under,
      ...ofClass,
    }),
  ),
  z.strictObject({
    metric: z.literal("expected-cost"),
    ...asked,
    ...by,
    ...under,
    costs: z
      .record(z.string(), z.record(z.string(), z.number().min(0)))
      .describe("By the right class, what each wrong answer costs: { yes: { no: 5 }, no: { yes: 1 } }."),
  }),
  ...(["mean-absolute-error", "root-mean-square-error"] as const).map((metric) =>
    z.strictObject({ metric: z.literal(metric), ...asked, ...by, ...under }),
  ),
  z.strictObject({
    metric: z.literal("quantile-loss"),
    ...asked,
    ...by,
    ...under,
    quantile: z.number().gt(0).lt(1).default(0.5).describe("Which; the median unless given."),
  }),
  z.strictObject({ metric: z.literal("auc"), ...asked, ...by, ...under, ...ofClass }),
  z.strictObject({
    metric: z.literal("cvar"),
    ...asked,
    ...by,
    ...under,
    share: z.number().gt(0).max(1).default(0.1).describe("Of the examples: those with the largest losses."),
  }),
  z.strictObject({ metric: z.literal("calibration-error"), ...asked, ...by, ...under }),
  z.strictObject({
    metric: z.literal("margin"),
    ...asked,
    ...by,
    per: z.literal("example").optional().describe("On every example, with a price each."),
  }),
  z.strictObject({
    metric: z.literal("monotonicity"),
    ...asked,
    column: z.string(),
    direction: z.enum(["increasing", "decreasing"]).default("increasing"),
    step,
    ...ofClass,
  }),
  z.strictObject({ metric: z.literal("slope"), ...asked, column: z.string(), step, ...ofClass }),
  z.strictObject({ metric: z.literal("size"), ...asked }),
  z.strictObject({
    metric: z.literal("own"),
    ...asked,
    ...by,
    ...under,
    use: z.string().min(1).describe("A file of TypeScript or JavaScript, relative to the spec: the metric."),
  }),
]);

/** A text that a reader must understand; what it says of one it does not is the mistake. */
function checked(read: (text: string) => unknown) {
  return (text: string, context: z.RefinementCtx): void => {
    try {
      read(text);
    } catch (reason) {
      context.addIssue({ code: "custom", message: (reason as Error).message });
    }
  };
}
