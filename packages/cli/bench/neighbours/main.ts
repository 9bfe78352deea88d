// npm run bench -- neighbours [--json] [--only A,B]: printed prices and costs of insisting, beside runs that were trained at those levels.
//
//   of decisions    one unit of the level looser and tighter, and the requirement hard: what wrong decisions and giving way then cost
//   of losses       the price is a slope: it must lie between what one step looser saves and one step tighter costs
//
// A run that is compared has the decay of the one that printed the number, where that chose it: with another it is another model. Printed
// numbers have two digits, and are compared as they are printed, to within what the report says is its accuracy.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readSpec, type TrainReport, trainInFolder } from "@pliant/train";
import { writeCsv } from "../table.js";
import { type Case, cases, partsOf, type Spec, tables } from "./cases.js";
import { type Compared, comparedInsisting, comparedNeighbours, comparedSlope, isSlope } from "./compared.js";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});
const say = (line: string): void => (options.json ? console.error(line) : console.log(line));
const root = mkdtempSync(join(tmpdir(), "pliant-neighbours-"));
let runs = 0;

async function trained(table: Case["table"], spec: Spec, insist: boolean): Promise<TrainReport> {
  const folder = join(root, String(runs++));
  mkdirSync(folder);
  writeCsv(join(folder, "rows.csv"), tables[table]());
  const file = join(folder, "spec.json");
  writeFileSync(file, JSON.stringify(spec));
  const { report } = await trainInFolder(readSpec(file), {
    ...{ name: "run", out: join(folder, "run"), device: "cpu" as const, insist },
    progress: { show: () => {}, end: () => {} },
  });
  rmSync(folder, { recursive: true, force: true });
  return report;
}

async function compared({ table, spec, of }: Case): Promise<Compared[]> {
  const own = await trained(table, spec, true);
  const again = (change: Readonly<Record<string, unknown>>): Promise<TrainReport> =>
    trained(
      table,
      {
        ...spec,
        objective: { ...spec.objective, ...(own.decay !== undefined && { decay: own.decay }) },
        requirements: { ...spec.requirements, [of]: { ...spec.requirements[of], ...change } },
      },
      false,
    );
  const level = spec.requirements[of].level as number;
  const found: Compared[] = [];
  // For a requirement by group, the level of every group moves at once.
  const names = partsOf(own, of);
  const entries = names.map((name) => own.requirements[name]);
  if (entries.some(({ neighbours }) => neighbours) && names.length === 1) {
    const size = entries[0].neighbours!.unit.size;
    const up = entries[0].sense === "at least" ? -1 : 1;
    const { neighbours } = entries[0];
    const beside = {
      ...(neighbours?.looser !== undefined && { looser: await again({ level: level + up * size }) }),
      ...(neighbours?.tighter !== undefined && { tighter: await again({ level: level - up * size }) }),
    };
    found.push(...comparedNeighbours(own, beside, names[0]));
  } else if (entries.every(isSlope)) {
    const size = 0.01 * level;
    const [looser, tighter] = [await again({ level: level + size }), await again({ level: level - size })];
    found.push(comparedSlope(own, { looser, tighter }, names, size));
  }
  for (const name of names)
    if (own.requirements[name].insisting?.had) {
      const group = /\[\w+=(.*)\]$/.exec(name)?.[1];
      const hard = await again(group === undefined ? { hard: true, cost: undefined } : { hard: [group] });
      found.push(comparedInsisting(own, hard, name));
    }
  return found;
}

const list = cases.filter(
  ({ name }) => options.only?.split(",").some((one) => name.includes(one.trim())) ?? true,
);
const results: (Compared & { case: string; model: unknown })[] = [];
try {
  for (const one of list) {
    const found = await compared(one);
    if (found.length === 0) say(`${one.name}: nothing was printed`);
    for (const c of found) {
      results.push({ case: one.name, model: one.spec.model.kind, ...c });
      say(
        `${one.name}, ${c.what}: printed ${c.printed}, retrained ${c.retrained.toPrecision(5)}, within ${c.within.toPrecision(2)}: ${c.agrees ? "agrees" : "DIFFERS"}${c.note ? ` (${c.note})` : ""}`,
      );
    }
  }
  const summary = { compared: results.length, agree: results.filter(({ agrees }) => agrees).length };
  say(`${summary.agree} of ${summary.compared} agree.`);
  if (options.json) console.log(JSON.stringify({ summary, results }));
} finally {
  rmSync(root, { recursive: true, force: true });
}
