// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of code, not templates
// Faults of the page: of what it works out, seen without a browser, and of what it shows, seen in one.
import { faultsIn } from "./fault.js";

const figure = (name: string): string => `page/src/figure/${name}`;
const lib = (name: string): string => `page/src/lib/${name}`;
const words = (name: string): string => `page/src/words/${name}`;

export const reckoningFaults = [
  ...faultsIn(
    figure("drawing.ts"),
    ["figure"],
    [
      ["upside down", "{ logarithmic, zero }, [floor, top]);", "{ logarithmic, zero }, [top, floor]);"],
      ["from right to left", "linearScale(across, [left, right]", "linearScale(across, [right, left]"],
      ["linear where it says logarithmic", "if (logarithmic) {", "if (false) {"],
      ["no axis label", ", chart.xLabel);", ', "");'],
      ["no title in a file", 'fill: "var(--ink)" }, chart.title);', 'fill: "var(--ink)" }, "");'],
      ["no run in a file", "fitted(chart.source, width - 32)", '""'],
      ["a legend that runs out", "if (at > 0 && at + width > room)", "if (false)"],
      ["half steps", "!chart.counts || Number.isInteger(t)", "true"],
      ["the others stand out", "chart.highlight !== line.name;", "chart.highlight === line.name;"],
      ["not smoothed", "y: smoothed(line.y, smoothing)", "y: line.y"],
      ["not cut", ".map((line) => within(line, zoom))", ""],
    ],
  ),
  ...faultsIn(
    figure("lines.ts"),
    ["figure"],
    [
      ["biased towards 0", "return sum / share;", "return sum;"],
      ["steps between points", "return y[i] + ((at - x[i])", "return y[i] + 0 * ((at - x[i])"],
      ["quotes in quotes", "text.replaceAll('\"', '\"\"')", "text"],
      [
        "a table out of order",
        "sort((a, b) => a - b);\n  const columns",
        "sort((a, b) => b - a);\n  const columns",
      ],
    ],
  ),
  ...faultsIn(figure("save.ts"), ["figure"], [["names that collide", "`${[source, title]", "`${[title]"]]),
  ...faultsIn(
    words("verdict.ts"),
    ["page", "answers"],
    [
      ["met is gave", "if (excess > allowance)", "if (excess < allowance)"],
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
      ["the price of a count", "if (price === unmeasured) return built ? noPrice : noSlope;", ""],
      ["always yes", 'answer: yes ? "yes"', 'answer: true ? "yes"'],
      [
        "yes without those that have no verdict",
        "const yes = holding.length === all.length",
        "const yes = holding.length + untold.length === all.length",
      ],
      ["what is free is counted", '.filter(([, { cost }]) => cost !== "free")', ""],
      ["two prices of a level as one", "if (sides && !r.decidedOn", "if (false && !r.decidedOn"],
    ],
  ),
  ...faultsIn(
    words("progress.ts"),
    ["answers"],
    [["the time since the beginning", "Math.max(0, total - step) * pace", "step * pace"]],
  ),
  ...faultsIn(
    lib("format.ts"),
    ["page"],
    [
      ["four digits are three", "digits = 4, nothing = 1e-6", "digits = 3, nothing = 1e-6"],
      ["no sign", 'text.replaceAll("-", "−")', 'text.replaceAll("-", "")'],
    ],
  ),
  ...faultsIn(
    lib("statistics.ts"),
    ["page"],
    [["ranks the other way", "values[a] - values[b]", "values[b] * 0 + a - b"]],
  ),
  ...faultsIn(
    lib("accuracies.ts"),
    ["page"],
    [["accuracies that are missing are 0", "v !== null)", "true).map(Number)"]],
  ),
  ...faultsIn(
    "page/src/model/by-group.ts",
    ["model"],
    [
      ["a group has the colour of another", "placeOf(value) > 0 ? placeOf(value) : i + 1", "i + 1"],
      ["groups of all columns are mixed", "byGroup.filter((group) => group.column === column)", "byGroup"],
    ],
  ),
  ...faultsIn(
    "page/src/model/rates.ts",
    ["model"],
    [
      [
        "rows at the threshold are positive too",
        "truePositives: p[place]",
        "truePositives: p[Math.max(0, place - 1)]",
      ],
      ["ties count as right", "((a - alarms) * (hits + h)) / 2", "(a - alarms) * h"],
      [
        "misses are of all rows",
        "share(c.falseNegatives, c.truePositives + c.falseNegatives)",
        "share(c.falseNegatives, rowsOf(c))",
      ],
      ["a share of no rows is 0", "whole > 0 ? part / whole : undefined", "whole > 0 ? part / whole : 0"],
      [
        "at least is at most",
        'sense === "at least" ? reached >= level : reached <= level',
        "reached <= level",
      ],
      ["relative levels are plain ones", " || r.relative !== undefined", ""],
    ],
  ),
  ...faultsIn(
    "page/src/study/summary.ts",
    ["study"],
    [
      ["the best may be violated", 'standingOf(summary).tone === "good"', 'summary.status === "finished"'],
      ["values in the order of text", "? x - y : inOrder", "? inOrder(String(x), String(y)) : inOrder"],
      ["seeds are points of their own", "!study.repeated.includes(name)", "true"],
      [
        "one run has no interval",
        "having.length > 1 ? meanInterval(values) : single",
        "meanInterval(values)",
      ],
      ["the worst is the best", "a.values[by] <= b.values[by]", "a.values[by] >= b.values[by]"],
    ],
  ),
  ...faultsIn(
    "page/src/study/columns.ts",
    ["study"],
    [["the best is not on top", "soundness(a) - soundness(b) ||", ""]],
  ),
  ...faultsIn(
    lib("statistics.ts"),
    ["study"],
    [
      ["an interval of the values, not of the mean", "/ Math.sqrt(values.length);", ";"],
      ["few values are as good as many", "student[freedom - 1] ?? 1.96", "1.96"],
    ],
  ),
  ...faultsIn(
    lib("closing.ts"),
    ["study-page"],
    [["Escape leaves a menu open", 'event.key !== "Escape"', "true"]],
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
      ["one of two violated is loosened", "loosen(detail, violated)", "loosen(detail, violated.slice(0, 1))"],
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
      ["a verdict on a run that failed", "broken || !some", "!some"],
      ["tested while it trains", 'over: status !== "running",', "over: true,"],
      [
        "a federation was asked for nothing",
        "|| isNetworked(summary.command)) return undefined;",
        ") return undefined;",
      ],
      ["all sites gave way", "told.relaxations.sites.slice(1)", "told.relaxations.sites"],
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
    lib("rerun.ts"),
    ["page"],
    [
      [
        "trained again in place",
        "${deviceOption(summary)} --out ${word(again)}`",
        "${deviceOption(summary)}`",
      ],
      ["words that a shell expands", "`'${text.replaceAll(\"'\", \"'\\\\''\")}'`", "text"],
    ],
  ),
  ...faultsIn(
    lib("rerun.ts"),
    ["overview"],
    [["a reproduction goes on elsewhere", ".slice(0, -reproducedDepth)", ".slice(0, -1)"]],
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
    "page/src/study/summary.ts",
    ["study"],
    [["what is counted is not sound", "&& summary.counted)", "&& false)"]],
  ),
  ...faultsIn(
    lib("format.ts"),
    ["format"],
    [["two forms of one number", "Number(size.toExponential(1)) < 1e-3", "size < 1e-3"]],
  ),
  ...faultsIn(
    lib("names.ts"),
    ["page", "differences"],
    [["two runs share a name", "count.get(way(run)) === 1 ||", "true ||"]],
  ),
  ...faultsIn(
    "page/src/run/many.ts",
    ["many"],
    [
      ["the best first", "value(b) - value(a)", "value(a) - value(b)"],
      ["any word of a search", "words.every((word)", "words.some((word)"],
    ],
  ),
  ...faultsIn(
    "page/src/runs/columns.ts",
    ["columns"],
    [
      ["less is more", '"<": (order) => order < 0', '"<": (order) => order > 0'],
      [
        "the unknown first",
        "Number(x === null) - Number(y === null)",
        "Number(y === null) - Number(x === null)",
      ],
    ],
  ),
  ...faultsIn(
    "page/src/compare/groups.ts",
    ["compare"],
    [
      ["seeds are apart", "const { seed: _, name: __, ...rest }", "const { name: __, ...rest }"],
      [
        "a band of the means",
        "high: values.map((list) => Math.max(...list))",
        "high: values.map((list) => Math.min(...list))",
      ],
    ],
  ),
  ...faultsIn(
    "page/src/compare/trade-off.ts",
    ["compare"],
    [
      [
        "axes swapped",
        "x: quantities[across], y: quantities[up]",
        "x: quantities[up], y: quantities[across]",
      ],
    ],
  ),
  ...faultsIn(
    "src/tellable.ts",
    ["answers"],
    [["levels with the digits of single precision", "? asAsked(r.level)", "? r.level"]],
  ),
  ...faultsIn(
    lib("ask.ts"),
    ["ask"],
    [
      ["an old answer is taken for news", "begun.delete(at);", ""],
      ["an answer for another page is taken", "begun.clear()", "begun"],
      ["an address without end", "const most = 10;", "const most = 1000;"],
      ["another requirement is asked for", ".slice(0, 1)", ".slice(1)"],
    ],
  ),
  ...faultsIn(
    lib("format.ts"),
    ["format"],
    [
      ["noon is at night", 'hours < 12 ? "AM" : "PM"', 'hours <= 12 ? "AM" : "PM"'],
      ["what was is to come", "(now - at) / 1000", "(at - now) / 1000"],
    ],
  ),
  ...faultsIn(
    "page/src/runs/columns.ts",
    ["columns"],
    [["started by the letters of a date", "[rank(a), rank(b)]", "[value(a), value(b)]"]],
  ),
  ...faultsIn(
    "page/src/words/overview.ts",
    ["decided"],
    [
      ["what is asked for is only watched", 'r.cost === "free" && (hard', "false && (hard"],
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
    "page/src/compare/brushes.ts",
    ["brushes"],
    [
      ["outside is within", "value >= from && value <= to", "value >= from"],
      ["a run without the number is kept", "value !== null && value >=", "value === null || value >="],
      ["an axis that is gone keeps all out", "if (!found) return true;", "if (!found) return false;"],
      ["a range upside down", "from <= to", "true"],
    ],
  ),
];

export const shownFaults = [
  ...faultsIn(
    "page/src/App.svelte",
    ["wrong-page"],
    [["no page where something is wrong", "<h1>This page cannot be shown</h1>", "", "says so"]],
  ),
  ...faultsIn(
    "page/src/run/Answers.svelte",
    ["run-page"],
    [
      ["no answers", '<dd class="answer {tone ?? ""}">{answer}</dd>', "", "first screen"],
      ["answers below the screen", "  margin-top: 14px;", "  margin-top: 900px;", "first screen"],
    ],
  ),
  ...faultsIn(
    "page/src/pages/Run.svelte",
    ["run-page"],
    [["no progress", "{#if progress}", "{#if false}", "how far it has come"]],
  ),
  ...faultsIn(
    figure("LineChart.svelte"),
    ["figures-page"],
    [["no keyboard", "onkeydown={pressed}", "", "at the keyboard"]],
  ),
  ...faultsIn(
    figure("view.svelte.ts"),
    ["figures-page"],
    [
      [
        "zoom is not in the address",
        "setZoom: (range) => route.set({ zoom: zoomText(range) })",
        "setZoom: () => {}",
        "at the keyboard",
      ],
    ],
  ),
  ...faultsIn(
    "page/src/pages/Runs.svelte",
    ["runs-page"],
    [
      [
        "focus is lost",
        '(row?.querySelector("a") ?? searchField).focus();',
        "row?.blur();",
        "keeps the focus",
      ],
      [
        "chosen runs are not in the address",
        'route.setList("chosen", on ? [...others, ...names] : others);',
        "void on;",
        "numbers that are chosen",
      ],
    ],
  ),
  ...faultsIn(
    "page/src/runs/RunsTable.svelte",
    ["runs-page"],
    [
      [
        "all but the first are chosen",
        "choose(all, event.currentTarget.checked)",
        "choose(all.slice(1), event.currentTarget.checked)",
        "all that are shown",
      ],
      ["some are all", "all.every((name) => chosen.has(name))", "true", "all that are shown"],
      ["some are none", "indeterminate={!every &&", "indeterminate={false &&", "all that are shown"],
    ],
  ),
  ...faultsIn(
    "page/src/compare/Overlay.svelte",
    ["compare-page"],
    [
      ["nothing stands out", "        {highlight}\n", "", "over one another"],
      [
        "one clock for all",
        "const clock = clocks.get(name);",
        "const clock = [...clocks.values()][0];",
        "own clock",
      ],
    ],
  ),
  ...faultsIn(
    "page/src/App.svelte",
    ["figures-page"],
    [
      [
        "a setting in the address makes the page anew",
        "{#await pageOf(page) then",
        "{#await pageOf(route.current.page) then",
        "read as a table",
      ],
    ],
  ),
  ...faultsIn(
    "page/src/main.ts",
    ["compare-page"],
    [["nothing is asked for ahead", 'import "./begin.js";\n', "", "asked for while the page"]],
  ),
  ...faultsIn(
    "page/src/main.ts",
    ["runs-page"],
    [
      [
        "the list loads a page that is not shown",
        'import "./styles.css";',
        'import "./styles.css";\nimport("./pages/Study.svelte");',
        "at most 50 kB",
      ],
    ],
  ),
  ...faultsIn(
    figure("FigurePanel.svelte"),
    ["federation-page"],
    [["no table of a figure", "{#if asTable}", "{#if false}", "as a table"]],
  ),
  ...faultsIn(
    "page/src/playground/session.svelte.ts",
    ["playground-page"],
    [["the old model of a cleared board", "      told = undefined;\n", "", "by pointer"]],
  ),
  ...faultsIn(
    "page/src/run/ManyRequirements.svelte",
    ["many-page"],
    [["all of ten thousand", "matching.slice(0, more * page)", "matching", "ten thousand"]],
  ),
];
