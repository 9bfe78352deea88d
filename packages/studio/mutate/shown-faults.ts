// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of code, not templates
// Faults of what the page shows, seen in a browser.
import { faultsIn } from "./fault.js";

const figure = (name: string): string => `page/src/figure/${name}`;

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
