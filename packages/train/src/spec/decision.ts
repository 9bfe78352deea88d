// What a spec may say of decisions: where scores are cut, what a wrong one costs, and how sure a level should be on new rows.
import * as z from "zod";

export const decision = z
  .strictObject({
    threshold: z
      .union([z.enum(["learnt", "by group"]), z.number().gt(0).lt(1)], {
        error: "learnt, by group, or a probability between 0 and 1",
      })
      .default("learnt")
      .describe(
        "Where a score becomes a decision. learnt: one threshold for all (offsets of several classes), solved on held-out rows where a rate is asked for, else 0.5; by group: one for each group, which the law forbids in many places; or a probability, to which the scores are then pressed.",
      ),
    by: z
      .string()
      .optional()
      .describe("Of threshold: by group: the column; the one that requirements go by unless given."),
    cost: z
      .union(
        [z.enum(["errors", "balanced"]), z.record(z.string(), z.record(z.string(), z.number().min(0)))],
        { error: "errors, balanced, or costs by the right class: { yes: { no: 5 }, no: { yes: 1 } }" },
      )
      .optional()
      .describe(
        "What a wrong decision costs: errors (1 each), balanced (each class alike), or by the right class what each wrong answer costs. errors unless given; balanced where a gap between groups is asked for, as calling nobody closes every gap.",
      ),
    confidence: z
      .number()
      .gt(0.5)
      .lt(1)
      .optional()
      .describe("How sure the levels of rates should hold on new rows; as likely as not unless given."),
  })
  .describe("From scores to decisions.");
