// The decisions of a spec: the threshold, the cost of wrong decisions, and the confidence of levels on new rows.
import * as z from "zod";

export const decision = z
  .strictObject({
    threshold: z
      .union([z.enum(["learnt", "by group"]), z.number().gt(0).lt(1)], {
        error: "learnt, by group, or a probability between 0 and 1",
      })
      .default("learnt")
      .describe(
        "The threshold that turns scores into decisions. learnt: one threshold (or an offset per class), chosen on held-out rows if there is a requirement on a rate, otherwise 0.5; by group: one per group, which is unlawful in many places; or a probability, at which the scores are trained to meet the rates.",
      ),
    by: z
      .string()
      .optional()
      .describe("With threshold: by group, the column; default: the one that the requirements use."),
    cost: z
      .union(
        [z.enum(["errors", "balanced"]), z.record(z.string(), z.record(z.string(), z.number().min(0)))],
        { error: "errors, balanced, or costs by the right class: { yes: { no: 5 }, no: { yes: 1 } }" },
      )
      .optional()
      .describe(
        "The cost of a wrong decision: errors (1 each), balanced (each class has the same weight), or a cost by true class and decision. Default: errors, or balanced with a gap requirement, because rejecting everyone would close every gap.",
      ),
    confidence: z
      .number()
      .gt(0.5)
      .lt(1)
      .optional()
      .describe(
        "The confidence that levels of rates hold on new rows; by default they hold about half the time.",
      ),
  })
  .describe("How scores become decisions.");
