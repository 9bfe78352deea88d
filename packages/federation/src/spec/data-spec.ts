// The data part of a spec: which columns every site's table has, what they hold, and what is predicted.
import { InputError } from "@pliant/core";
import { z } from "zod";

const whole = z.number().int().positive();
const positive = z.number().positive();

/** `mean + 0.02`: a bound over a mean. */
export const boundForm =
  'is a bound over the mean, such as "mean + 0.02": no site can know whether an absolute loss is within reach';
const isAboveMean = (text: string): boolean =>
  text.length <= 60 && /^\s*mean\s*(\+\s*\d*\.?\d+(e-?\d+)?)?\s*$/.test(text);
export const aboveMean = z.string(boundForm).refine(isAboveMean, boundForm);

/** Values of one image, at the most. */
const mostPixels = 2 ** 22;

/** ε of `mean + ε`. */
export const levelIn = (bound: string): number => Number(bound.split("+")[1] ?? 0);

/** A quadratic relaxation cost h(u) = α u²/2, or none: the requirement may not be relaxed. */
export const costSchema = z.union([z.literal("hard"), z.strictObject({ alpha: positive })]);

/** Rows by group, over all sites. */
const groups = z.strictObject({
  /** A column of the table; it is a feature only if `features` names it. */
  column: z.string(),
  values: z.array(z.string()).min(2),
  /** The loss over the rows of each group is at most this, relative to the loss over all rows; only reported if left out. */
  loss: aboveMean.optional(),
  cost: costSchema.default({ alpha: 2 }),
  dualRate: positive.default(1),
  /** A rate that thresholds by group keep within this distance between groups. */
  rate: z
    .strictObject({
      of: z.enum(["positive", "truePositive", "falsePositive"]),
      within: z.number().nonnegative().default(0.05),
    })
    .optional(),
});

export const dataKeys = {
  /** Columns to learn from: numbers, unless `categories` has them. */
  features: z.array(z.string()).min(1).optional(),
  /** The categories of the features that have them. */
  categories: z.record(z.string(), z.array(z.string()).min(1)).optional(),
  /** Features with cells that may be missing. A missing number stands at its centre, and a feature says that it was missing. */
  missing: z.array(z.string()).optional(),
  /**
   * `[centre, spread]` of numbers, so that every site learns from (x − centre)/spread; or `agreed`: the mean and standard
   * deviation over the rows of all sites, which a secure sum finds before the first round.
   */
  scale: z.union([z.literal("agreed"), z.record(z.string(), z.tuple([z.number(), positive]))]).optional(),
  label: z.string().optional(),
  /** Left out, the label is a number. */
  classes: z
    .array(z.string())
    .refine(
      ({ length }) => length !== 1,
      "has one class; name at least two, or leave it out to predict a number",
    )
    .optional(),
  /** A column that says how much each row counts. */
  weights: z.string().optional(),
  /** The share of its rows that each site holds out. */
  test: z.number().gt(0).lt(1).optional(),
  groups: groups.optional(),
  /** PNG images of one size, in a folder for each class. */
  images: z
    .strictObject({ width: whole, height: whole, channels: z.union([z.literal(1), z.literal(3)]) })
    .optional(),
};

/** The data part of a spec, checked. */
export interface DataSpec {
  readonly features: string[];
  readonly label: string;
  /** Empty where the label is a number. */
  readonly classes: string[];
  readonly categories?: Record<string, string[]>;
  readonly missing?: string[];
  readonly scale?: "agreed" | Record<string, [number, number]>;
  readonly weights?: string;
  readonly test?: number;
  readonly groups?: GroupSpec;
  readonly images?: { readonly width: number; readonly height: number; readonly channels: 1 | 3 };
}

export const dataSchema = z
  .strictObject(dataKeys)
  .transform(({ features, label, classes = [], images, ...more }, context): DataSpec => {
    const issue = (path: readonly string[], message: string) =>
      context.addIssue({ code: "custom", path: [...path], message });
    if (images) {
      // A pixel is a feature by its place, so that all else is as with tables.
      const pixels = images.width * images.height * images.channels;
      if (classes.length === 0) issue(["classes"], "names the folders of the images");
      if (pixels > mostPixels) issue(["images"], `has ${pixels} values an image; at most ${mostPixels}`);
      return {
        features: Array.from({ length: Math.min(pixels, mostPixels) }, (_, i) => `pixel${i}`),
        label: "class",
        classes,
        images,
      };
    }
    if (!features) issue(["features"], "names the columns to learn from, or data has images");
    if (label === undefined) issue(["label"], "names the column to be learnt");
    const { categories = {}, missing = [], scale } = more;
    const scaled = scale === "agreed" ? [] : Object.keys(scale ?? {});
    const isNumber = (name: string) => features?.includes(name) && !Object.hasOwn(categories, name);
    for (const name of Object.keys(categories))
      if (!features?.includes(name)) issue(["categories", name], "is none of the features");
    for (const name of scaled)
      if (!isNumber(name) && !(name === label && classes.length === 0))
        issue(["scale", name], "is none of the numbers");
    for (const name of missing) {
      if (!features?.includes(name)) issue(["missing"], `has "${name}", which is none of the features`);
      else if (isNumber(name) && scale !== "agreed" && !scaled.includes(name))
        issue(
          ["missing"],
          `has "${name}", which has no centre to stand at: set scale to agreed, or give scale.${name}`,
        );
    }
    return {
      features: features ?? [],
      label: label ?? "",
      classes,
      ...(Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)) as typeof more),
    };
  });

export type GroupSpec = z.infer<typeof groups>;

/** `[centre, spread]` by column. */
export type Scale = Readonly<Record<string, readonly [number, number]>>;

/** Whether the label is a number. */
export const isRegression = ({ classes }: Pick<DataSpec, "classes">): boolean => classes.length === 0;

/** Names that say two things at once. */
export function checkNames(data: DataSpec, source: string): void {
  const { features, label, classes, categories = {}, weights, groups: by } = data;
  const lists: Record<string, readonly string[]> = {
    classes,
    features,
    ...Object.fromEntries(Object.entries(categories).map(([name, list]) => [`categories.${name}`, list])),
    ...(by && { "groups.values": by.values }),
  };
  for (const [list, names] of Object.entries(lists)) {
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw new InputError(`${source}: data.${list} names "${twice}" twice.`);
  }
  if (features.includes(label))
    throw new InputError(
      `${source}: data.features names "${label}", which is the label: a model cannot learn from what it predicts.`,
    );
  if (weights !== undefined && (weights === label || features.includes(weights)))
    throw new InputError(`${source}: data.weights is "${weights}", which is the label or a feature.`);
  if (by?.column === label && by !== undefined)
    throw new InputError(`${source}: data.groups.column is "${label}", which is the label.`);
  if (by?.rate && classes.length !== 2)
    throw new InputError(`${source}: data.groups.rate needs two classes; the second is the positive one.`);
}

/** Before anyone joins: groups that no row can have are a mistake. */
export function checkGroups({ categories = {}, groups }: DataSpec, source: string): void {
  const known = groups && categories[groups.column];
  const unknown = known && groups.values.find((value) => !known.includes(value));
  if (unknown !== undefined)
    throw new InputError(
      `${source}: data.groups.values has "${unknown}", and "${groups!.column}" has the categories ${known!.join(", ")}.`,
    );
}
