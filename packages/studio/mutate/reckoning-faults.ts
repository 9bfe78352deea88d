// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of code, not templates
// Faults of what the page works out, seen without a browser.
import { faultsIn } from "./fault.js";

const figure = (name: string): string => `page/src/figure/${name}`;
const lib = (name: string): string => `page/src/lib/${name}`;

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
      ["not cut", "} = within(line, zoom);", "} = line;"],
      [
        "no ring where it came to something else",
        "if (line.outcome === undefined ||",
        "if (line.outcome !== undefined ||",
      ],
      [
        "a ring where the line is cut off",
        "const ends = zoom === undefined || zoom[1] >= (line.x.at(-1) ?? Infinity);",
        "const ends = true;",
      ],
      ["a ring outside", "? l.y : [...l.y, l.outcome]", "? l.y : l.y"],
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
        "having.length > 2 ? meanInterval(values) : having",
        "true ? meanInterval(values) : having",
      ],
      ["the worst is the best", "a && of(a) <= of(b)", "a && of(a) >= of(b)"],
      ["what is open in a counted run is missed", '["met", "held", "open"]', '["met", "held"]'],
      [
        "the best gave way",
        "runs.filter((run) => meetsAll(run) && ",
        "runs.filter((run) => isSound(run) && ",
      ],
      ["the closest beside a best", "runs.some(meetsAll) ? undefined :", "false ? undefined :"],
      ["the closest by the size of its miss", "return beyond / (size || 1);", "return beyond;"],
      [
        "not certified, and it meets everything",
        "isSound(run) && Object.values(run.came)",
        "Object.values(run.came)",
      ],
    ],
  ),
  ...faultsIn(
    "page/src/study/columns.ts",
    ["study"],
    [
      ["the best is not on top", "rank(a) - rank(b) ||", ""],
      ["the closest is not on top", "miss(a) - miss(b) ||", ""],
    ],
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
