// What is said of a federated run: how many clients are further above the mean loss than was asked, which one most, what it costs, and
// how to train it the other way.
import type { RunDetail } from "../../../src/api.js";
import { type ClientsCame, clientsCame } from "../../../src/clients.js";
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
      ? { question: "What gave way", answer: "Nothing", detail: "no client is beyond its level", tone }
      : {
          question: how === "gave way" ? "What gave way" : "What does not hold",
          answer: `client ${above.indexOf(most) + 1} by ${number(most - level, 3)}`,
          detail: `${number(most, 3)} above the mean${othersBeyond(came)}`,
          tone,
        },
    !settled
      ? {
          question: "What it costs",
          answer: "not known",
          detail:
            how === "violated"
              ? "prices settle once every client holds"
              : "known once each client gives way by what training allows it",
        }
      : {
          question: "What it costs",
          answer: number(Math.max(0, price), 3),
          detail: price > 0 ? `the largest price, of client ${dearest + 1}` : "no client has a price",
        },
  ];
}

/** Clients that a line has room for. */
const mostNamed = 4;

/** Which other clients are beyond the level, and by how much. */
function othersBeyond({ above, level, beyond }: ClientsCame): string {
  const [, ...others] = above
    .map((loss, i) => ({ client: i + 1, by: loss - level }))
    .sort((a, b) => b.by - a.by)
    .slice(0, beyond);
  const named = others.slice(0, mostNamed).map(({ client, by }) => `client ${client} by ${number(by, 3)}`);
  const more = others.length - named.length;
  return named.length === 0 ? "" : `; also ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
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
