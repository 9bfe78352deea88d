// All that is said of a run before its details: how it stands, the verdict in a sentence, the five answers, what speaks against
// them, and what to do next. Every page of a run says the same.
import type { RequirementResult, RunDetail } from "../../../src/api.js";
import { type CertificateResult, certificateOf } from "../../../src/certificate.js";
import { fields, isNumber, text } from "../../../src/fields.js";
import { held, whole } from "../lib/format.js";
import { word } from "../lib/rerun.js";
import { type Answer, answersOf } from "./answers.js";
import { clientsAnswers, clientsHeadline, clientsNext } from "./clients.js";
import { type Holding, holdingOf } from "./holding.js";
import { type Networked, networkedAnswers, networkedHeadline } from "./networked.js";
import { isDecided, type NextStep, nextStep } from "./next-step.js";
import { conflictIn, type Reservation, reservationsOf } from "./reservations.js";
import { type ToldResult, toldOf } from "./said.js";
import { standingOf, type Tone } from "./standing.js";
import { askedOf, headline } from "./verdict.js";

export type Headline = readonly [subject: string, rest: string];

/** What a verdict shows, on a run as on a study. */
export interface Shown {
  /** What its edge says. */
  readonly tone: Tone;
  readonly headline: Headline | undefined;
  readonly answers: readonly Answer[];
  readonly reservations?: readonly Reservation[];
  readonly next: NextStep | undefined;
}

export interface Overview extends Shown {
  /** How many of the requirements hold: undefined where nothing was asked, or nothing is known yet. */
  readonly holding: Holding | undefined;
  readonly requirements: Readonly<Record<string, ToldResult>>;
  readonly tolerance: number;
  readonly reservations: readonly Reservation[];
}

/** The certificate of what is finished or on its way: what ended before its time, or cannot be read in full, has none. */
export const certificateIn = ({ summary: { status }, report }: RunDetail): CertificateResult | undefined =>
  status === "finished" || status === "running" ? certificateOf(report) : undefined;

/** A federation between machines: its coordinator's run, or a site's. */
export const isNetworked = (command: string): boolean =>
  command.startsWith("federate") && command !== "federated";

export function overviewOf(detail: RunDetail, networked?: Networked): Overview {
  const { summary, run } = detail;
  const { status } = summary;
  const report = status === "running" ? provisional(detail.report) : detail.report;
  // No finer than a reader: tighter certificates would have a card flicker while the run trains.
  const tolerance = Math.max(certificateOf(report)?.tolerance ?? 1e-3, 1e-4);
  const requirements = withPending(detail, toldOf(report, tolerance));
  const broken = endedWords(detail);
  const some = Object.keys(requirements).length > 0;
  const examples = fields(fields(report).test).examples;
  const context = {
    over: status !== "running",
    ...(isNumber(examples) && { testRows: examples }),
    ...currencyOf(run),
  };
  const answers = broken
    ? []
    : some
      ? answersOf(requirements, tolerance, context)
      : [...clientsAnswers(report), ...networkedAnswers(networked)];
  return {
    requirements,
    tolerance,
    tone: toneOf(summary, answers),
    holding: broken ? undefined : holdingOf(requirements, tolerance, status === "running"),
    headline:
      broken ??
      (some
        ? headline(requirements, tolerance, { conflict: conflictIn(report), ...stoppedEarly(detail) })
        : (clientsHeadline(report) ?? networkedHeadline(networked) ?? nothingRequired(detail))),
    answers,
    // While a run trains it says itself what it is short of.
    reservations: status === "running" || broken ? [] : reservationsOf(report, requirements),
    next:
      networked?.role === "coordinator" && status === "finished"
        ? { words: "Export its model.", command: `npx pliant export ${word(detail.path)} model.onnx` }
        : (nextStep(detail, requirements, tolerance) ?? clientsNext(detail)),
  };
}

/** A certificate says that the numbers are right, and not that every requirement holds. */
function toneOf(summary: RunDetail["summary"], answers: readonly Answer[]): Tone {
  const { tone } = standingOf(summary);
  const gave = answers.some((answer) => answer.tone === "gave");
  return gave && (tone === "good" || tone === "none") ? "open" : tone;
}

/** A certificate that holds while a run trains may be withdrawn: thresholds, counts and the last checks come after it. */
const provisional = (report: RunDetail["report"]): RunDetail["report"] =>
  certificateOf(report)?.holds
    ? { ...report, certificate: { ...fields(fields(report).certificate), holds: false } }
    : report;

/** The steps of a run that used them all and is not certified. */
export function stoppedEarly({ summary, report }: RunDetail): { stopped?: number } {
  const { status, steps, total } = summary;
  const early = status === "finished" && steps !== null && total !== null && steps >= total;
  return early && certificateOf(report)?.holds === false && !isDecided(report) ? { stopped: steps } : {};
}

/** Training only watches what a threshold settles: until the report is there, the spec says what is asked for. */
export function isPending({ summary, run }: RunDetail, name: string, r: RequirementResult): boolean {
  if (summary.status === "finished" || summary.status === "unreadable" || r.cost !== "free") return false;
  const { requirements: asked, cost: usual } = fields(run.spec);
  const { cost = usual, hard } = fields(fields(asked)[name.replace(/ \[[^\]]*\]$/, "")]);
  return hard === true || (text(cost) !== undefined && cost !== "free");
}

export function withPending(
  detail: RunDetail,
  requirements: Record<string, ToldResult>,
): Record<string, ToldResult> {
  const found: Record<string, ToldResult> = Object.create(null);
  for (const [name, r] of Object.entries(requirements))
    found[name] = isPending(detail, name, r) ? { ...r, pending: true, said: pendingSaid(r) } : r;
  return found;
}

const pendingSaid = (r: ToldResult): ToldResult["said"] => ({
  ...{ ...r.said, gave: "?", price: "?", known: undefined },
  sentence: `asked ${askedOf(r)}, reached ${held(r.reached, r.level)} so far; the threshold is chosen when training is over.`,
});

/** What is minimised, where the spec names it. */
function currencyOf(run: RunDetail["run"]): { currency?: string } {
  const loss = text(fields(fields(run.spec).objective).loss);
  return loss === undefined ? {} : { currency: loss };
}

/** Of a run that has no verdict: how it ended. */
function endedWords({ summary }: RunDetail): Headline | undefined {
  const { status, problem, steps } = summary;
  const at = steps === null ? " before its first evaluation" : ` after step ${whole(steps)}`;
  switch (status) {
    case "failed":
      return ["It failed", `${at}. ${problem ?? "The cause was not kept."}`];
    case "killed":
      return [
        "It was killed",
        `${at}: its process ended without a message, as it does when memory runs out or the machine restarts.`,
      ];
    case "stopped":
      return ["It stopped", `${at}, before it was finished.`];
    case "unreadable":
      return ["No verdict", `: ${problem ?? "its report cannot be read."}`];
    default:
      return undefined;
  }
}

/** A report may state no requirements since there were none, or since it does not tell of them. */
function nothingRequired({ summary, report, run }: RunDetail): Headline | undefined {
  if (summary.status !== "finished" || isNetworked(summary.command)) return undefined;
  const none = Object.keys(fields(fields(report).requirements)).length === 0;
  return fields(report).requirements !== undefined && none
    ? ["Nothing was required", " of this model."]
    : [
        "No requirement",
        ` is stated in its report${fields(run).spec === undefined ? "" : ", though its spec may have some"}.`,
      ];
}
