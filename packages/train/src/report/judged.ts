// The requirements of a report judged together: a sentence each.
import type { RequirementReport } from "@pliant/core";
import { short } from "../format/table.js";
import { askedOf } from "../questions/answers.js";
import type { TrainReport } from "./report.js";
import { type Tellable, told } from "./requirement-view.js";
import { type Judgement, sentencesByName } from "./sentences.js";

/** The parts of a report that sentences about its requirements need. */
export interface TellableReport extends Pick<TrainReport, "judgedOn" | "alone" | "byConstruction"> {
  readonly certificate: Judgement["certificate"];
  readonly requirements: Readonly<Record<string, Tellable>>;
}

/** For enforced requirements; free ones are only reported. */
export const judgementOf = ({ certificate, requirements, judgedOn, alone }: TellableReport): Judgement => ({
  certificate,
  requirements: Object.fromEntries(
    Object.entries(requirements)
      .filter(([, { cost }]) => cost !== "free")
      .map(([name, r]) => [name, told(r, judgedOn)]),
  ),
  opposed: opposed(requirements),
  alone,
});

/** What each requirement came to, by name: what is violated first, then what gave way, then what costs. */
export function sentencesOf(report: TellableReport): (readonly [name: string, sentence: string])[] {
  const { requirements, judgedOn, byConstruction: built = [] } = report;
  const judgement = judgementOf(report);
  const priced = Object.entries(judgement.requirements).filter(([name]) => !built.includes(name));
  return [
    ...sentencesByName({ ...judgement, requirements: Object.fromEntries(priced) }),
    ...built.map(
      (name) => [name, "holds by construction on every row; the cost of this was not measured."] as const,
    ),
    ...Object.entries(requirements).flatMap(([name, r]) =>
      r.cost === "free" ? [[name, watched(r, judgedOn)] as const] : [],
    ),
  ];
}

/** A requirement that may give way for free is not enforced, and its price says nothing about insisting. */
const watched = (r: Tellable, judgedOn: TrainReport["judgedOn"]): string =>
  `reported but not enforced, because its cost is free (level ${askedOf(r)}, reached ${short(told(r, judgedOn).reached)}).`;

/** Those that must hold and pull against each other, where one is violated: with those that hold at a price. */
export function opposed(
  requirements: Readonly<Record<string, Pick<RequirementReport, "hard" | "status" | "price">>>,
): string[] {
  const firm = Object.entries(requirements).filter(([, { hard }]) => hard);
  if (firm.every(([, { status }]) => status !== "violated")) return [];
  return firm
    .filter(([, { status, price }]) => status === "violated" || (status === "at its level" && price > 0))
    .map(([name]) => name);
}
