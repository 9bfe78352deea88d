// A model card states the run's results, and leaves what only people know to fill in.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cardOf, finishedRun, html, markdown, type TrainReport } from "@pliant/train";
import { beforeAll, expect, test } from "vitest";
import { cardCommand } from "../src/training/card.js";
import { trainCommand } from "../src/training/train.js";
import { smallLoans } from "./fixtures/loans.js";
import { printed } from "./fixtures/output.js";

const { folder, spec } = smallLoans({ rows: 400 });
const run = join(folder, "run");
let report: TrainReport;
beforeAll(async () => {
  const settings = ["--set", "budget.tolerance=0.2", "--set", "data.validation=0.2", "--no-insist"];
  report = JSON.parse(await printed(() => trainCommand([spec, "--out", run, "--json", ...settings])));
});

test("in Markdown: verdict, data, requirements, relaxations, intervals, open questions", async () => {
  const text = await printed(() => cardCommand([run]));
  expect(report.certificate.holds).toBe(true);
  expect(text).toMatch(/^# Model card: loans\n\nCertified\. On /);
  const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  expect(sections).toEqual([
    "Model",
    "Intended use",
    "Data",
    "Requirements",
    "What gave way, and at which price",
    "On training rows and on other rows",
    "Most important columns",
    "Limits",
  ]);
  expect(text).toContain("loans.csv, SHA-256 ");
  expect(text).toContain("200 training rows, 80 for validation, 120 for testing");
  expect(text).toContain("groups by group: A, B; the model does not see it");
  // The number of rows of each class and group, and the share of missing cells of each column, as in the data.
  const { data } = JSON.parse(readFileSync(join(run, "run.json"), "utf8"));
  const yes = data.counts.defaulted.yes;
  expect(yes.train + data.counts.defaulted.no.train).toBe(200);
  const share = (n: number, of: number): string => `${n} (${((100 * n) / of).toFixed(1)}%)`;
  expect(text).toContain(
    `| defaulted | yes | ${share(yes.train, 200)} | ${share(yes.validation, 80)} | ${share(yes.test, 120)} |`,
  );
  expect(text).toMatch(/^\| group \| B \| \d+ \(/m);
  const learnt = readFileSync(join(run, "rows.csv"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("train,"));
  const rows = readFileSync(join(folder, "loans.csv"), "utf8").split("\n");
  const scores = learnt.map((line) => rows[Number(line.split(",")[1]) - 1].split(",")[6]);
  const gaps = scores.filter((score) => score === "").length;
  expect(gaps).toBeGreaterThan(0);
  expect(text).toMatch(
    new RegExp(`^\\| score \\| number \\| .* \\| ${((100 * gaps) / 200).toFixed(1)}% \\|$`, "m"),
  );
  expect(text).toMatch(/^\| income \| number \| .* \| – \|$/m);
  expect(text).toContain("- To fill in: who will use it, and for which decisions");
  for (const [name, r] of Object.entries(report.requirements)) {
    const shown = name.replace(/[[\]]/g, "\\$&");
    const { value, interval } = r.test!.strict;
    const [low, high] = interval!.map((x) => x.toFixed(3));
    expect(text).toContain(`| ${shown} | ${r.strictly} | at most ${r.level} | quadratic(2) |`);
    expect(text).toContain(`${value.toFixed(3)} (${low} to ${high}) |`);
  }
});

test("as a standalone HTML page, with the same words", async () => {
  const file = join(folder, "card.html");
  await printed(() => cardCommand([run, "--out", file]));
  const page = readFileSync(file, "utf8");
  expect(page).toMatch(/^<!doctype html>/);
  expect(page).toContain("<h1>Model card: loans</h1>");
  expect(page).toContain("<td>missed defaults [group=B]</td>");
  expect(page).not.toMatch(/(src|href)=/);
});

test("markup characters in names are escaped", () => {
  const blocks = [
    {
      kind: "table",
      rows: [
        ["a|b", "<script>"],
        ["*", "_x_"],
      ],
    },
  ] as const;
  expect(markdown(blocks)).toBe("| a\\|b | \\<script\\> |\n| --- | --- |\n| \\* | \\_x\\_ |\n");
  expect(html(blocks, "a & b")).toContain("<th>a|b</th><th>&lt;script&gt;</th>");
  expect(html(blocks, "a & b")).toContain("<title>a &amp; b</title>");
});

test("needs one finished run and a file of a known type", async () => {
  await expect(cardCommand([])).rejects.toThrow("name one run folder: pliant card RUN.");
  await expect(cardCommand([run, "--out", "card.pdf"])).rejects.toThrow(
    "card.pdf should end in .md or .html.",
  );
});

test("a date column shows its mean as a date", () => {
  const { asked } = finishedRun(run);
  const on = {
    name: "on",
    kind: "number",
    mean: 18_650,
    std: 434.2,
    written: "date",
    indicator: false,
  } as const;
  const { inputs: _, ...data } = asked.data;
  const card = cardOf({ ...asked, data: { ...data, encoding: { columns: [on] } } }, report);
  expect(markdown(card)).toContain("| on | date | mean 2021-01-23, deviation 434.2 days |");
});
