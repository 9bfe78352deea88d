// Several runs of one spec in words: how many are certified, then mean and deviation of every number.
import { showMeasure, showOutcome } from "../evaluate/evaluate.js";
import { columns, short } from "../format/table.js";
import type { PooledRequirement, Spread } from "../report/pooled.js";
import { noSlope, unmeasured } from "../report/requirement-view.js";
import { symmetricInMeans, without } from "../report/symmetric-gaps.js";
import type { RepeatedBy, Repeats } from "../run/repeats.js";

/** `0.204 ± 0.003`; where it is of some runs alone, of how many: one has no deviation from others. */
export function showSpread(spread: Spread | undefined, runs?: number): string {
  if (!spread) return "–";
  const of = runs === undefined || spread.runs === runs ? "" : ` (of ${spread.runs})`;
  const apart = spread.runs === 1 ? "" : ` ± ${Number(spread.sd.toPrecision(2))}`;
  return `${short(spread.mean)}${apart}${of}`;
}

/** What runs differ in, in words. */
export const what: Record<RepeatedBy, { readonly each: string; readonly rest: string }> = {
  seed: { each: "seeds", rest: "All use the same training and test rows." },
  fold: { each: "folds", rest: "Each model was tested on the rows that it was not trained on." },
};

/** `All 3 seeds are`, `2 of 3 seeds are`, `None of the 3 seeds is`. */
const countOf = (some: number, all: number, noun: string): string =>
  some === all
    ? `All ${all} ${noun} are`
    : some === 0
      ? `None of the ${all} ${noun} is`
      : `${some} of ${all} ${noun} ${some === 1 ? "is" : "are"}`;

/** Several seeds or folds of a spec, as text. */
export function repeatsText(found: Repeats): string {
  const { by, runs, certified, objective, steps } = found;
  const n = runs.length;
  const told = without(found.requirements, symmetricInMeans(found.requirements));
  const all = Object.entries(told).sort(([, a], [, b]) => (b.price?.mean ?? 0) - (a.price?.mean ?? 0));
  const gave = all.flatMap(([name, r]) => {
    const times = r.watched ? 0 : (r.statuses["gave way"] ?? 0);
    return times > 0 ? [`"${name}" gave way in ${times === n ? `all ${n}` : `${times} of ${n}`}`] : [];
  });
  const broken = all.flatMap(([name, r]) => {
    const times = r.statuses.violated ?? 0;
    return times > 0
      ? [`"${name}" is hard, and violated in ${times === n ? `all ${n}` : `${times} of ${n}`}`]
      : [];
  });
  return [
    [
      `${countOf(certified, n, what[by].each)} certified. ${what[by].rest}`,
      ...[...broken, ...gave].map((sentence) => `${sentence}.`),
    ].join(" "),
    "",
    columns(
      [
        ["requirement", "asked", "reached", "gave", "price", "insisting costs"],
        ...all.map(([name, r]) => [
          name,
          `${r.asked}${r.hard ? ", hard" : ""}`,
          showSpread(r.reached, n),
          r.watched ? "not enforced" : showSpread(r.relaxation, n),
          showSpread(r.price, n),
          showSpread(r.insisting, n),
        ]),
      ],
      { left: 2 },
    ),
    `Numbers are means ± standard deviations over the ${what[by].each}; "gave" and "price" only over those that are certified${all.some(([, r]) => certified > 0 && !r.price) ? `; ${unmeasured} for a price: ${noSlope}, or none was measured` : ""}`,
    "",
    `objective ${showSpread(objective)} after ${showSpread(steps)} steps`,
    "",
    strictTable(found, all),
    "",
    columns(
      [
        [by, "steps", "certified", "run"],
        ...runs.map(({ value, steps: own, certified: holds, run }) => [
          String(value),
          String(own),
          holds ? "yes" : "no",
          run,
        ]),
      ],
      { left: 1 },
    ),
    ...uncertified(found),
  ].join("\n");
}

/** Why those that are not certified are not, those of the same reasons together. */
function uncertified({ by, runs }: Repeats): string[] {
  const why = new Map<string, number[]>();
  for (const { value, certified, short = [] } of runs) {
    if (certified) continue;
    const reason = short.join("; ") || "the steps ended before convergence";
    why.set(reason, [...(why.get(reason) ?? []), value]);
  }
  return [...why].map(
    ([reason, values], i) =>
      `${i === 0 ? "\n" : ""}${values.length === 1 ? `${by} ${values[0]} is` : `${what[by].each} ${values.join(", ")} are`} not certified: ${reason}.`,
  );
}

/** Rows of all folds together are of different models; of seeds they are the same rows again and again. */
function strictTable(
  { by, train, validation, test, held: pooled, runs }: Repeats,
  all: readonly (readonly [string, PooledRequirement])[],
): string {
  const parts = [
    { name: "train", of: train },
    { name: "validation", of: validation },
    { name: "test", of: test },
  ] as const;
  const there = parts.filter(({ of }) => of);
  const held = by === "fold" ? pooled : undefined;
  const overall = (key: "loss" | "error" | "rootMeanSquare", name: string): string[][] =>
    test[key]
      ? [
          [
            "all examples",
            name,
            ...there.map(({ of }) => showSpread(of![key])),
            ...(held ? [held[key] ? showMeasure(held[key]) : "–"] : []),
          ],
        ]
      : [];
  return columns(
    [
      [
        "requirement",
        "metric",
        ...there.map(({ name }) => name),
        ...(held ? ["held-out rows of all folds, 95% interval"] : []),
      ],
      ...all.map(([name, r]) => [
        name,
        r.strictly,
        ...there.map(({ name }) => {
          const groups = r.groups?.[name];
          return `${showSpread(r[name], runs.length)}${groups ? ` [${groups.join(", ")}]` : ""}`;
        }),
        ...(held ? [r.held ? showOutcome({ strict: r.held, group: r.held.group }) : "–"] : []),
      ]),
      ...overall("loss", "loss"),
      ...overall("error", "error"),
      ...overall("rootMeanSquare", "root mean square error"),
    ],
    { left: 2 },
  );
}
