// What a spec file may say, as one schema: it validates, gives the types, and is published as JSON Schema for editors.
import { dateParts } from "@pliant/data";
import * as z from "zod";
import { costPattern } from "../grammar/cost.js";
import { cost } from "../grammar/keys.js";
import { count, label, positive } from "../grammar/parts.js";
import { requirement } from "../metrics/requirement.js";
import { decision } from "./decision.js";

const columnKinds = ["number", "category", "date", "day-month", "month-day", "group", "ignore"] as const;

const columnKind = z.union(
  [
    z.enum(columnKinds),
    z.strictObject({
      date: z
        .array(z.enum(dateParts))
        .min(1)
        .describe("Parts of the date that are columns of their own, beside its day."),
    }),
  ],
  { error: `one of ${columnKinds.join(", ")}, or { date: [${dateParts.join(", ")}] }` },
);

const share = z.number().gt(0).lt(1);

const kept = z.union(
  [
    share,
    z.string(),
    z.strictObject({ column: z.string(), value: label.describe("Of the rows that are kept.") }),
    z.strictObject({
      share,
      by: z
        .string()
        .describe("Whole groups of this column, such as patients, so that none is on both sides."),
    }),
    z.strictObject({ share, stratified: z.literal(true).describe("Of each class and group alike.") }),
    z.strictObject({
      folds: z.int().min(2).describe("So many parts of the rows, each kept for testing in a run of its own."),
      fold: count.optional().describe("Which of them; all, one run after another, unless given."),
      by: z.string().optional().describe("Whole groups of this column, so that none is in two parts."),
      stratified: z.literal(true).optional().describe("Each class and group alike in every part."),
    }),
    z.strictObject({
      last: share,
      of: z.string().describe("The column of dates or numbers in whose order."),
    }),
  ],
  {
    error:
      "a share of the rows between 0 and 1, a file, a column with its value, { share, stratified: true }, { share, by: column }, { last, of: column } or { folds: 5 }",
  },
);

const data = z
  .strictObject({
    file: z.string().optional().describe("A CSV file with a header, relative to the spec."),
    dataset: z.string().optional().describe("A named set of images instead of a file, such as strokes."),
    target: z.string().optional().describe("The column to predict."),
    positive: label
      .optional()
      .describe("Of a target with two classes, the one that rates are about; 1, true or yes unless given."),
    columns: z
      .record(z.string(), columnKind)
      .default({})
      .describe(
        "Kinds of columns that should not be guessed. A group column is for requirements only, not for the model.",
      ),
    missing: z
      .array(label)
      .transform((texts) => ["", ...texts])
      .optional()
      .describe(
        "Texts that mean a missing value, as an empty cell does; NA, N/A, NaN, nan, null and ? unless given.",
      ),
    withoutTarget: z
      .literal("drop")
      .optional()
      .describe("Rows in which the target is missing are left out; they are a mistake unless given."),
    test: kept
      .optional()
      .describe(
        "Rows kept for testing: a share of them (0.3 unless given), a CSV file of their own, or a column with its value.",
      ),
    validation: kept
      .optional()
      .describe(
        "Rows kept for validation, on which rates are counted while the others are learnt from: as for test. None unless given.",
      ),
    weights: z
      .string()
      .optional()
      .describe(
        "A column of weights: how much each row counts in what is minimised. Requirements count rows.",
      ),
    balance: z
      .enum(["classes", "groups"])
      .optional()
      .describe(
        "Every class, or every group of the group columns together, counts alike in what is minimised.",
      ),
    seed: z.int().min(0).optional().describe("Of the shares that are drawn; the spec's seed unless given."),
    limit: z
      .strictObject({ train: count.optional(), validation: count.optional(), test: count.optional() })
      .default({})
      .describe("No more than so many examples."),
  })
  .describe("What to learn from.");

const model = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("linear") }),
    z.strictObject({
      kind: z.literal("mlp"),
      hidden: z
        .array(count)
        .min(1)
        .optional()
        .describe("Units of each hidden layer; one of 16 unless width or depth say otherwise."),
      width: count.optional().describe("Instead of hidden: units of every hidden layer; 16 unless given."),
      depth: count.optional().describe("Instead of hidden: hidden layers; one unless given."),
      activation: z.enum(["tanh", "relu", "leakyRelu"]).default("tanh"),
      normalisation: z
        .literal("layer")
        .optional()
        .describe("The sums of a hidden layer are centred and scaled over its units."),
      dropout: z
        .number()
        .gt(0)
        .lt(1)
        .optional()
        .describe("The share of hidden units that each training step leaves out. Nothing is certified then."),
      embeddings: z
        .record(z.string(), count)
        .optional()
        .describe("By category column: learn so many numbers for each value instead of one feature a value."),
    }),
    z.strictObject({ kind: z.literal("lenet") }),
  ])
  .prefault({ kind: "mlp" })
  .describe("linear, mlp, or for images lenet; an mlp with one hidden layer of 16 unless given.");

const objective = z
  .strictObject({
    loss: z
      .enum([
        "cross-entropy",
        "squared-error",
        "absolute-error",
        "huber",
        "quantile",
        "poisson",
        "parameter-size",
      ])
      .optional()
      .describe(
        "cross-entropy for classes; for numbers squared-error, absolute-error, huber or quantile, in units of the target's deviation; for counts poisson; or parameter-size: half the sum of squared weights.",
      ),
    quantile: z.number().gt(0).lt(1).optional().describe("Of the loss quantile; 0.5 unless given."),
    decay: z
      .number()
      .min(0)
      .optional()
      .describe(
        "Adds so much times the sum of squared weights. Unless given, what of a few is best on validation rows, or where decisions are learnt or nothing is asked on a fold of the training rows; else 0 for linear models, 0.001 for others.",
      ),
  })
  .describe("What is minimised.");

const budget = z
  .strictObject({
    steps: count.optional().describe("At most so many steps; 4000 unless given, of newton 1000."),
    epochs: count.optional().describe("Instead of steps: passes over the training examples."),
    batch: count.optional().describe("Examples a step; all of them unless given."),
    optimizer: z
      .enum(["newton", "adam", "adamw", "sgd"])
      .optional()
      .describe(
        "Unless given newton for linear models whose losses and requirements are smooth and convex, without batch, rate, schedule and clip; else adam.",
      ),
    rate: positive
      .optional()
      .describe(
        "Of the parameters. Unless given 0.1 for linear models, 0.03 for mlp, 0.003 for lenet, with batches 0.3 of that; for sgd 0.1.",
      ),
    momentum: z.number().min(0).lt(1).default(0.9).describe("Of sgd."),
    schedule: z
      .enum(["falling", "constant", "cosine"])
      .default("falling")
      .describe("How the rate goes on: falling is by √(1 + step/100), cosine to 0 at the last step."),
    clip: positive.optional().describe("The longest gradient."),
    priceRate: positive
      .optional()
      .describe("Of the prices, fixed; unless given they find their own, or with batches 0.1."),
    tolerance: positive
      .optional()
      .describe(
        "Stops once the certificate holds to this: 0.001, of a network with requirements on losses 0.0003.",
      ),
    every: count
      .optional()
      .describe("Steps between two looks at the certificate; 25 unless given, of newton 5."),
  })
  .describe("How long and how fast.");

/** More are a slip of the keys. */
const mostSeeds = 1000;

const seeds = z.union(
  [
    z
      .string()
      .regex(/^\d+-\d+$/)
      .refine((text) => {
        const [from, to] = text.split("-").map(Number);
        return to - from < mostSeeds;
      })
      .transform((text) => {
        const [from, to] = text.split("-").map(Number);
        return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
      }),
    z.array(z.int().min(0)),
  ],
  { error: `several seeds, at most ${mostSeeds}: from and to, as in 1-5, or a list` },
);

/** Names that would hide something in a report. */
const reserved = ["objective", "__proto__", "constructor", "prototype"];

export const specSchema = z.strictObject({
  name: z.string().min(1).optional().describe("Of the run; that of the file unless given."),
  data,
  model,
  objective: objective.prefault({}),
  requirements: z
    .record(z.string().min(1), requirement)
    .superRefine((all, context) => {
      for (const name of reserved.filter((word) => Object.hasOwn(all, word)))
        context.addIssue({
          code: "custom",
          path: [name],
          message: "this cannot be the name of a requirement",
        });
    })
    .describe("By name: what is asked of the model; {} asks nothing, and is the baseline."),
  cost: cost.default("quadratic(1)").meta({
    description: "What giving way costs the requirements that name no cost of their own.",
    pattern: costPattern,
  }),
  decision: decision.prefault({}),
  budget: budget.prefault({}),
  seed: z.int().min(0).default(1),
  seeds: seeds
    .optional()
    .describe(
      "Instead of a seed: several, as in 1-5 or [1, 2, 7], trained as one and reported together. The rows are split as by the first.",
    ),
});

/** What is to be trained: data, model, objective, requirements and budget, as the schema reads a spec file. */
export type Spec = z.infer<typeof specSchema>;
export type RequirementSpec = Spec["requirements"][string];
export type Metric = RequirementSpec["metric"];

/** The JSON Schema of specs, for editors. */
export const jsonSchema = (): object => ({
  ...z.toJSONSchema(specSchema, { io: "input" }),
  title: "A spec for pliant train",
});

/** The same as the text of a file. */
export const schemaText = (): string => `${JSON.stringify(jsonSchema(), null, 2)}\n`;
