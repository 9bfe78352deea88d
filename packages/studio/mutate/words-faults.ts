// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of code, not templates
// Faults of what the page says of runs and studies, seen without a browser.
import { faultsIn } from "./fault.js";

const words = (name: string): string => `page/src/words/${name}`;

export const wordsFaults = [
  ...faultsIn(
    words("verdict.ts"),
    ["page", "answers"],
    [
      ["a pass is sure", '${withinChance ? ", within chance" : ""}', ""],
      ["the price is no price", "inReverse(priceOf(a), priceOf(b))", "inReverse(priceOf(b), priceOf(a))"],
      ["holds where it misses", "groupWords(group)}, ${verdict}", "groupWords(group)}, holds"],
    ],
  ),
  ...faultsIn(
    words("said.ts"),
    ["page", "answers"],
    [
      ["what is violated is unknown", '? "violated"', '? "unknown"'],
      ["insisting where nothing is known", "settled && r.status", "r.status"],
    ],
  ),
  ...faultsIn(
    words("answers.ts"),
    ["answers"],
    [
      [
        "the least of what gave way",
        "gaveBy(b[1]) > gaveBy(a[1]) ? b : a",
        "gaveBy(b[1]) > gaveBy(a[1]) ? a : b",
      ],
      ["always green", 'holding.tone === "met" && !holds ?', "false ?"],
      ["passes within chance are not named", '...named("holds within chance:", barely),', ""],
      ["misses within chance are not named", '...named("missed within chance:", near),', ""],
      ["all hold on test data", "on test data ${holding.length} of", "on test data ${all.length} of"],
      ["what is free is counted", '.filter(([, { cost }]) => cost !== "free")', ""],
      ["what is free was asked", '.filter(([, r]) => r.cost !== "free" || r.pending)', ""],
      ["what must hold is not marked", '${r.hard ? " (hard)" : ""}', ""],
      ["the others are not named", "const also = others.length > 0", "const also = false"],
      ["what is violated has a price", 'if (r.hard === true && tone === "missed")', "if (false)"],
      ["two prices of a level as one", "sides && !Number.isFinite(Number(price)) ?", "false ?"],
      ["a price of nothing", "if (!(known > 0)) return", "if (false) return"],
    ],
  ),
  ...faultsIn(
    words("holding.ts"),
    ["overview", "decided"],
    [
      ["what is violated gave way", 'violated ? "missed" : "gave"', 'violated ? "gave" : "gave"'],
      ["what is watched is asked", 'verdict !== "watched")', "true)"],
      ["what holds so far holds", "words: `${hold}${soFar}`", "words: hold"],
      ["what is nearly held holds", 'of("met", "held", "open") - near', 'of("met", "held", "open")'],
    ],
  ),
  ...faultsIn(
    words("progress.ts"),
    ["answers"],
    [["the time since the beginning", "Math.max(0, total - step) * pace", "step * pace"]],
  ),
  ...faultsIn(
    words("standing.ts"),
    ["overview"],
    [
      ["no certificate is as good as one", "certified === null", "false"],
      ["what must hold and does not comes last", "if (violated)", "if (violated && certified === null)"],
      ["any minimum is the least", "kindWords[kind]", "kindWords.global"],
    ],
  ),
  ...faultsIn(
    words("next-step.ts"),
    ["overview"],
    [
      ["it goes on from nothing", "saved ? resumeCommand(detail) : undefined", "resumeCommand(detail)"],
      [
        "a level that cannot be reached",
        'r.sense === "at least" ? Math.floor : Math.ceil',
        'r.sense === "at least" ? Math.ceil : Math.floor',
      ],
      [
        "one of two violated is loosened",
        "loosen(detail, violated, ",
        "loosen(detail, violated.slice(0, 1), ",
      ],
      ["all groups are loosened", "own.get(key) ?? level", "level"],
      ["the level of the last group", "Math.max(before, level)", "level"],
      ["insists on what cannot be met", "gave.find(([, r]) => canBeMet(r))", "gave[0]"],
      ["insisting that breaks another", " && !insisting.broken?.length", ""],
      ["a failed run goes on as it was", 'if (detail.summary.status === "failed")', "if (false)"],
      ["the dearest, not what gave most", "gaveBy(b) - gaveBy(a)", "0"],
      ["fewer steps", "4 * (detail", "0.5 * (detail"],
      ["what was measured is measured again", "!r.insisting", "true"],
      ["a card of what is missed on test rows", "if (missed)", "if (false)"],
    ],
  ),
  ...faultsIn(
    words("overview.ts"),
    ["overview", "decided"],
    [
      ["a verdict on a run that failed", "const answers = broken\n", "const answers = false\n"],
      ["what gave way is green", 'gave && (tone === "good"', 'false && (tone === "good"'],
      [
        "a certificate while it trains",
        'status === "running" ? provisional(detail.report)',
        "false ? provisional(detail.report)",
      ],
      [
        "it stopped too early, though it is certified",
        "certificateOf(report)?.holds === false && !isDecided",
        "!isDecided",
      ],
      ["it stopped too early, though steps were left", "steps >= total", "true"],
      ["tested while it trains", 'over: status !== "running",', "over: true,"],
      [
        "a federation was asked for nothing",
        "|| isNetworked(summary.command)) return undefined;",
        ") return undefined;",
      ],
    ],
  ),
  ...faultsIn(
    words("networked.ts"),
    ["overview"],
    [
      ["all sites gave way", "told.relaxations.sites.slice(1)", "told.relaxations.sites"],
      ["all sites gave way, among the answers", "const giving = sites.slice(1)", "const giving = sites"],
      ["no more than the last bound", "most < upTo.length", "true"],
    ],
  ),
  ...faultsIn(
    words("objective.ts"),
    ["overview"],
    [
      ["measured at the end, of a step before", "kept !== steps", "false"],
      ["what was kept is the last", "kept !== steps", "true"],
    ],
  ),
  ...faultsIn(
    words("overview.ts"),
    ["overview"],
    [
      [
        "a certificate of what ended before its time",
        'status === "finished" || status === "running" ? certificateOf(report) : undefined',
        "certificateOf(report)",
      ],
    ],
  ),
  ...faultsIn(
    "page/src/words/overview.ts",
    ["decided"],
    [
      [
        "what is asked for is only watched",
        "return hard === true || (text(cost)",
        "return false && (text(cost)",
      ],
      ["what is free is asked for", 'text(cost) !== undefined && cost !== "free"', "true"],
      ["pending though it is finished", 'summary.status === "finished" || ', ""],
    ],
  ),
  ...faultsIn(
    "page/src/words/next-step.ts",
    ["decided"],
    [
      [
        "more steps for pressed scores",
        "certified === false && !isDecided(detail.report)",
        "certified === false",
      ],
    ],
  ),
  ...faultsIn(
    "page/src/words/answers.ts",
    ["decided"],
    [["errors told as loss", "insisting.in && costs > 5e-6 ?", "false ?"]],
  ),
  ...faultsIn(
    words("verdict.ts"),
    ["overview"],
    [
      ["it stopped too early, unsaid", "if (missed.length > 0 && stopped !== undefined)", "if (false)"],
      ["what holds stopped too early, unsaid", 'stopped === undefined ? "nothing', 'true ? "nothing'],
    ],
  ),
  ...faultsIn(
    words("clients.ts"),
    ["clients"],
    [
      ["a price of what is violated", "!settled", "false"],
      [
        "the wrong way round",
        'came.how === "gave way" ? "constrained" : "resilient"',
        'came.how !== "gave way" ? "constrained" : "resilient"',
      ],
      ["holds for those that do not", "`for ${all - beyond} of ${all}`", "`for ${all} of ${all}`"],
    ],
  ),
  ...faultsIn(
    words("decided.ts"),
    ["overview"],
    [
      ["what is counted is trained", "if (r.decidedOn !== undefined) found", "if (false) found"],
      ["what is pending is trained", "else if (isPending(detail, name, r))", "else if (false)"],
    ],
  ),
  ...faultsIn(
    "page/src/study/verdict.ts",
    ["study"],
    [
      ["good without a best", "tone: all ?", "tone: true ?"],
      ["folds have a best", "onlyFolds(study) ? [] : [bestOf", "false ? [] : [bestOf"],
      ["finished while it trains", "if (training > 0)", "if (false)"],
      [
        "violated is not certified",
        "const violated = runs.filter(({ summary }) => summary.violated).length;",
        "const violated = 0;",
      ],
      ["what gave way least", "b.by.length - a.by.length ||", "a.by.length - b.by.length ||"],
      ["nothing is violated", "missing.some((run) => run.came[name].hard)", "false"],
      ["what it costs is the loss", "best.values[by] - free.values[by]", "best.values[by]"],
      ["the next step of none", "const subject = best ?? closest ??", "const subject = best ??"],
    ],
  ),
];
