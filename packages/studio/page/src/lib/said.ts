// What is said of each requirement of a run: the words of its own report, and no others where it is about prices or insisting.
import { insistingWords, priceOf, sentencesOf, type Tellable, told } from "@pliant/train/words";
import type { RequirementResult } from "../../../src/api.js";
import { requirementsOf } from "../../../src/requirement.js";
import { pricesOf, tellableOf } from "../../../src/tellable.js";
import { type Verdict, verdictOf } from "./verdict.js";

export interface Said {
  /** As the report's table has it: a sign where it is not known, or where a count has none. */
  readonly price: string;
  /** As a number, where it is one. */
  readonly known: number | undefined;
  readonly sentence: string;
  /** Of what gave way: what insisting came to. */
  readonly insisting: string;
}

export interface ToldResult extends RequirementResult {
  readonly said: Said;
}

/** Of reports that do not say it themselves. */
const statusOf = (verdict: Verdict, hard: boolean): Tellable["status"] =>
  verdict === "missed"
    ? hard
      ? "violated"
      : "unknown"
    : ({ gave: "gave way", held: "at its level", met: "met", unknown: "unknown" } as const)[verdict];

export function resultsOf(report: unknown, tolerance = 1e-3): Record<string, ToldResult> {
  const results = requirementsOf(report);
  const tellable = tellableOf(report, (name) =>
    statusOf(verdictOf(results[name], tolerance), results[name].hard),
  );
  const { requirements, judgedOn, certificate } = tellable;
  const sentences = new Map(sentencesOf(tellable));
  const prices = pricesOf(report);
  const found: Record<string, ToldResult> = Object.create(null);
  for (const [name, result] of Object.entries(results)) {
    const r = told(requirements[name], judgedOn);
    const insisting = certificate.holds && r.status === "gave way" && !r.examples ? insistingWords(r) : "";
    const price = priceOf(tellable, requirements[name]);
    const sentence = sentences.get(name) ?? "";
    found[name] = { ...result, said: { price, known: prices[name], sentence, insisting } };
  }
  return found;
}
