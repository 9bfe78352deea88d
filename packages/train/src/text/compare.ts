// Runs side by side, a block for each requirement.
import { basename } from "@pliant/platform";
import { figure, plain } from "../format/figure.js";
import { columns, short } from "../format/table.js";
import { askedOf } from "../questions/answers.js";
import type { TrainReport } from "../report/report.js";
import { gaveOf, noSlope, priceOf, reachedOf, unmeasured } from "../report/requirement-view.js";
import { symmetricInAll } from "../report/symmetric-gaps.js";

type Named = TrainReport & { readonly run: string };

/** Short names where they tell the runs apart. */
function labels(runs: readonly Named[]): string[] {
  const short = runs.map(({ run }) => basename(run));
  return new Set(short).size === short.length ? short : runs.map(({ run }) => run);
}

/** The requirements of the runs; those with one name and different metrics are separate, labelled by the metric. */
function asked(runs: readonly Named[]): { name: string; strictly: string; label: string }[] {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.requirements)))];
  return names.flatMap((name) => {
    const metrics = [...new Set(runs.flatMap((run) => run.requirements[name]?.strictly ?? []))];
    return metrics.map((strictly) => ({
      name,
      strictly,
      label: metrics.length > 1 ? `${name} (${strictly})` : name,
    }));
  });
}

/** Runs side by side, requirement by requirement, as text. */
export function compareText(runs: readonly Named[]): string {
  const names = labels(runs);
  const hidden = symmetricInAll(runs);
  const strict = (value?: number): string => (value === undefined ? "–" : plain(value));
  const blocks = asked(runs).flatMap(({ name, strictly, label }) => {
    if (hidden.includes(name)) return [];
    const rows = runs.map((run, i) => {
      const { [name]: r } = run.requirements;
      return r?.strictly === strictly
        ? [
            names[i],
            `${askedOf(r)}${r.hard ? ", hard" : ""}`,
            reachedOf(run, r),
            gaveOf(run, r),
            priceOf(run, r),
            strict(r.train?.strict.value),
            strict(r.test?.strict.value),
          ]
        : [names[i], "not asked", "–", "–", "–", "–", "–"];
    });
    const head = [label, "asked", "reached", "gave", "price", "on training rows", "on test rows"];
    return [[head, ...rows]];
  });
  const unpriced = runs.some((run) =>
    Object.values(run.requirements).some((r) => priceOf(run, r) === unmeasured),
  );
  // One set of columns for all blocks, so that they stand below each other.
  const lines = columns(blocks.flat(), { left: 2 }).split("\n");
  const parts = blocks.map(({ length }, i) => lines.slice(i * length, (i + 1) * length).join("\n"));
  const overall = runs.map(({ objective, train, test, certificate }, i) => [
    names[i],
    short(objective),
    ...[train, test].flatMap(({ loss, error, rootMeanSquare }) => [
      strict(loss.value),
      error ? strict(error.value) : figure(rootMeanSquare!, 0),
    ]),
    certificate.holds ? "yes" : "no",
  ]);
  // For regression, the root mean square error.
  const head = ["run", "objective", "loss train", "error train", "loss test", "error test", "certified"];
  const legend = unpriced ? [`${unmeasured} for a price: ${noSlope}, or none was measured`] : [];
  return [...parts, ...legend, columns([head, ...overall])].join("\n\n");
}
