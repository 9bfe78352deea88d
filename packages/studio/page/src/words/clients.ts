// What is said of a federated run: how many clients are further above the mean loss than was asked, which one most, what it costs, and
// how to train it the other way.
import type { RunDetail } from "../../../src/api.js";
import { clientsCame } from "../../../src/clients.js";
import { number } from "../lib/format.js";
import { methodCommand } from "../lib/rerun.js";
import type { Answer } from "./answers.js";
import type { NextStep } from "./next-step.js";

type Report = Readonly<Record<string, unknown>> | null | undefined;

const verbs = {
  "gave way": "gave way",
  violated: "must not give way and do not hold",
  free: "are beyond it, and nothing was done about it",
} as const;

const askedWords = (level: number): string => `at most ${number(level)} above the mean loss`;

/** Undefined where the report does not tell what was asked, or of whom. */
export function clientsHeadline(report: Report): [subject: string, rest: string] | undefined {
  const came = clientsCame(report);
  if (!came) return undefined;
  const { level, above, beyond, how } = came;
  const worst = above.indexOf(Math.max(...above));
  const asked = askedWords(level);
  if (beyond === 0) return ["Every client", ` is where it was asked to be, ${asked}.`];
  const most = `client ${worst + 1} the most, ${number(above[worst], 3)} above the mean`;
  return [`${beyond} of ${above.length} clients`, ` ${verbs[how]}: asked ${asked}, ${most}.`];
}

export function clientsAnswers(report: Report): Answer[] {
  const came = clientsCame(report);
  if (!came) return [];
  const { level, above, prices, beyond, how, settled } = came;
  const all = above.length;
  const most = Math.max(...above);
  const [dearest, price] = [prices.indexOf(Math.max(...prices)), Math.max(...prices)];
  const tone = beyond === 0 ? "met" : how === "violated" ? "missed" : "gave";
  const may = {
    "gave way": "it may give way at a cost",
    violated: "it must not give way",
    free: "nothing enforces it",
  };
  return [
    {
      question: "What was asked",
      answer: `of each of ${all} clients`,
      detail: `a training loss ${askedWords(level)}; ${may[how]}`,
    },
    {
      question: "Did it hold",
      answer: `for ${all - beyond} of ${all}`,
      detail: "on the clients' training rows",
      tone,
    },
    beyond === 0
      ? { question: "By how much", answer: "0", detail: "no client is beyond its level", tone }
      : {
          question: how === "violated" ? "Missed by how much" : "By how much",
          answer: number(most - level, 3),
          detail: `client ${above.indexOf(most) + 1}, the worst: ${number(most, 3)} above the mean`,
          tone,
        },
    !settled
      ? {
          question: "At what price",
          answer: "?",
          detail:
            how === "violated"
              ? "prices settle once every client holds"
              : "known once each client gives way by what training allows it",
        }
      : {
          question: "At what price",
          answer: number(Math.max(0, price), 3),
          detail: price > 0 ? `the largest, of client ${dearest + 1}` : "no client has a price",
        },
  ];
}

/** What training weighs a client by: its price once the run has settled. */
export const weightName = (report: Report): "price" | "multiplier" =>
  clientsCame(report)?.settled ? "price" : "multiplier";

/** The same federation trained the other way: what it costs to insist, or how far clients give way. */
export function clientsNext(detail: RunDetail): NextStep | undefined {
  const came = clientsCame(detail.report);
  if (!came || came.beyond === 0 || detail.summary.status !== "finished") return undefined;
  const method = came.how === "gave way" ? "constrained" : "resilient";
  const command = methodCommand(detail, method);
  const words =
    method === "resilient"
      ? "Let clients give way at a cost, and compare."
      : "Train it with no client giving way, and compare.";
  return command === undefined ? undefined : { words, command };
}
