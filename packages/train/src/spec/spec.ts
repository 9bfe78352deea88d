// The schema of spec files: it validates, provides the types, and is published as JSON Schema for editors.
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
      date: z.array(z.enum(dateParts)).min(1).describe("Parts of the date to add as columns of their own."),
    }),
  ],
  { error: `one of ${columnKinds.join(", ")}, or { date: [${dateParts.join(", ")}] }` },
);

const share = z.number().gt(0).lt(1);

const kept = z.union(
  [
    share,
    z.string(),
    z.strictObject({ column: z.string(), value: label.describe("The value of the rows to keep.") }),
    z.strictObject({
      share,
      by: z.string().describe("Keeps whole groups of this column together, such as all rows of a patient."),
    }),
    z.strictObject({
      share,
      stratified: z.literal(true).describe("Takes the same share of each class and group."),
    }),
    z.strictObject({
      folds: z.int().min(2).describe("Number of folds; each is the test set of one run."),
      fold: count.optional().describe("The fold to run; default: all, one run after another."),
      by: z.string().optional().describe("Keeps whole groups of this column in one fold."),
      stratified: z
        .literal(true)
        .optional()
        .describe("Gives every fold the same share of each class and group."),
    }),
    z.strictObject({
      last: share,
      of: z.string().describe("The column of dates or numbers that orders the rows."),
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
      .describe("The positive class of two, which rates count; default: 1, true or yes."),
    columns: z
      .record(z.string(), columnKind)
      .default({})
      .describe(
        "Types of columns that should not be inferred. A group column is used by requirements only, not by the model.",
      ),
    missing: z
      .array(label)
      .transform((texts) => ["", ...texts])
      .optional()
      .describe(
        "Texts that mean a missing value, like an empty cell; default: NA, N/A, NaN, nan, null and ?.",
      ),
    withoutTarget: z
      .literal("drop")
      .optional()
      .describe("Drops rows without a target; by default they are an error."),
    test: kept
      .optional()
      .describe("Rows for testing: a share (default: 0.3), a file of their own, or a column and its value."),
    validation: kept
      .optional()
      .describe(
        "Rows for validation, on which rates are counted during training. Written like test; default: none.",
      ),
    weights: z
      .string()
      .optional()
      .describe("A column of row weights for the objective. Requirements count every row once."),
    balance: z
      .enum(["classes", "groups"])
      .optional()
      .describe(
        "Gives each class, or each combination of the group columns, the same total weight in the objective.",
      ),
    seed: z.int().min(0).optional().describe("Seed of the random split; default: the spec's seed."),
    limit: z
      .strictObject({ train: count.optional(), validation: count.optional(), test: count.optional() })
      .default({})
      .describe("Uses only the first examples."),
  })
  .describe("The data: files, columns and splits.");

const model = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("linear") }),
    z.strictObject({
      kind: z.literal("mlp"),
      hidden: z
        .array(count)
        .min(1)
        .optional()
        .describe("Units of each hidden layer; default: one layer of 16, or as width and depth say."),
      width: count.optional().describe("Instead of hidden: units of every hidden layer; default: 16."),
      depth: count.optional().describe("Instead of hidden: number of hidden layers; default: 1."),
      activation: z.enum(["tanh", "relu", "leakyRelu"]).default("tanh"),
      normalisation: z.literal("layer").optional().describe("Layer normalisation of each hidden layer."),
      dropout: z
        .number()
        .gt(0)
        .lt(1)
        .optional()
        .describe("The share of hidden units dropped in each training step. Such a run cannot be certified."),
      embeddings: z
        .record(z.string(), count)
        .optional()
        .describe("By category column: the size of a learned embedding, instead of one feature per value."),
    }),
    z.strictObject({ kind: z.literal("lenet") }),
  ])
  .prefault({ kind: "mlp" })
  .describe("linear, mlp, or lenet for images; default: an mlp with one hidden layer of 16 units.");

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
        "cross-entropy for classes; squared-error, absolute-error, huber or quantile for numbers, in standard deviations of the target; poisson for counts; or parameter-size, half the sum of squared weights.",
      ),
    quantile: z.number().gt(0).lt(1).optional().describe("The quantile of the loss quantile; default: 0.5."),
    decay: z
      .number()
      .min(0)
      .optional()
      .describe(
        "Adds this multiple of the sum of squared weights. By default it is chosen on the validation rows. Without them, it is chosen on a fold of the training rows if decisions are learnt or there are no requirements, and is otherwise 0 for linear models and 0.001 for others.",
      ),
  })
  .describe("The objective that training minimises.");

const budget = z
  .strictObject({
    steps: count.optional().describe("Maximum number of steps; default: 4000, or 1000 for newton."),
    epochs: count.optional().describe("Instead of steps: number of passes over the training examples."),
    batch: count.optional().describe("Examples per step; default: all."),
    optimizer: z
      .enum(["newton", "adam", "adamw", "sgd"])
      .optional()
      .describe(
        "Default: newton for linear models with smooth, convex losses and requirements if no batch, rate, schedule or clip is set; otherwise adam.",
      ),
    rate: positive
      .optional()
      .describe(
        "Learning rate of the parameters; default: 0.1 for linear models, 0.03 for mlp and 0.003 for lenet, times 0.3 with batches; 0.1 for sgd.",
      ),
    momentum: z.number().min(0).lt(1).default(0.9).describe("Momentum of sgd."),
    schedule: z
      .enum(["falling", "constant", "cosine"])
      .default("falling")
      .describe(
        "Schedule of the rate: falling divides it by √(1 + step/100), cosine lowers it to 0 at the last step.",
      ),
    clip: positive.optional().describe("Gradients longer than this are scaled down to it."),
    priceRate: positive
      .optional()
      .describe("A fixed step size of the prices; by default it adapts, or is 0.1 with batches."),
    tolerance: positive
      .optional()
      .describe(
        "Training stops once the certificate holds to this tolerance; default: 0.003 for linear models, 0.01 for networks.",
      ),
    every: count
      .optional()
      .describe("Steps between two checks of the certificate; default: 25, or 5 for newton."),
  })
  .describe("Steps, optimiser and stopping.");

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
  name: z.string().min(1).optional().describe("Name of the run; default: the name of the file."),
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
    .describe("The requirements, by name; {} trains the baseline without any."),
  cost: cost.default("quadratic(1)").meta({
    description: "The cost of giving way for requirements without a cost of their own.",
    pattern: costPattern,
  }),
  decision: decision.prefault({}),
  budget: budget.prefault({}),
  seed: z.int().min(0).default(1),
  seeds: seeds
    .optional()
    .describe(
      "Several seeds instead of one, such as 1-5 or [1, 2, 7], trained together and summarised. All use the split of the first.",
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
