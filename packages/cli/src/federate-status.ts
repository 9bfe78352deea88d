// pliant federate status and audit: what a federation came to, and whether its records hold.
import { inColumns } from "@pliant/core";
import { audit, type Measured, type MeasuredParts, status } from "@pliant/federation";
import { word } from "@pliant/train";
import { readArgs } from "./arguments.js";
import { only } from "./federate-usage.js";
import { shared } from "./options.js";
import { fixed } from "./stopping.js";

export async function auditCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate audit DIR",
    about:
      "Checks every entry of a federation's ledger and every blob against its hash, sums against the signatures of their sites, and, with --witness, the history against what a site's folder has seen.",
    options: {
      json: shared.json,
      witness: { type: "string", value: "DIR", about: "a site's folder, whose history the ledger must have" },
    },
  });
  const found = await audit(only(positionals, "folder"), values.witness);
  const { entries, head, exchanges, blobs, problems, roster, sums, unproven } = found;
  if (values.json) console.log(JSON.stringify(found));
  else if (problems.length > 0) console.log(problems.join("\n"));
  else {
    console.log(`${entries} entries and ${blobs} blobs match their hashes; ${exchanges} exchanges are done.`);
    console.log(`The ledger's hash is ${head}.`);
    if (sums)
      console.log(
        `By the spec ${sums.spec.slice(0, 16)}… ${sums.kind === "secure" ? `sums are secure, each over at least ${sums.least} sites` : "sums were taken in the open: no site signed any of them"}.`,
      );
    if (roster) console.log(`The roster's code is ${roster}: compare it with the one that the sites have.`);
    if (values.witness !== undefined)
      console.log(
        `The folder ${values.witness} agrees: its spec, roster, history and final model are those of the ledger.`,
      );
    console.log(unproven);
  }
  return problems.length > 0 ? 1 : 0;
}

/** Results of the final model on the rows of all sites, and by group. */
function evaluationLines({ evaluation, thresholds }: Awaited<ReturnType<typeof status>>): string[] {
  if (!evaluation) return [];
  const score = ({ accuracy, rmse }: Measured) =>
    accuracy !== undefined ? `accuracy ${(100 * accuracy).toFixed(1)} %` : `RMSE ${rmse!.toPrecision(4)}`;
  const row = (name: string, { train, test }: MeasuredParts) => [
    name,
    // A group without rows has no loss.
    ...[train, test].flatMap((part) =>
      part ? (part.rows > 0 ? [fixed(part.loss), score(part), String(part.rows)] : ["–", "", "0"]) : [],
    ),
  ];
  const parts = evaluation.overall.test ? ["training", "held out"] : ["training"];
  const head = ["", ...parts.flatMap((part) => [`${part} loss`, "", "rows"])];
  const table = [head, row("all sites", evaluation.overall)];
  for (const [name, parts] of Object.entries(evaluation.groups ?? {})) table.push(row(name, parts));
  const lines = inColumns(table, (column) => column === 0).split("\n");
  if (!thresholds) return lines;
  const list = Object.entries(thresholds.thresholds).map(([group, at]) => `${group} ${at.toFixed(2)}`);
  const held = thresholds.gap.test === undefined ? "" : `, ${fixed(thresholds.gap.test)} on held-out rows`;
  return [
    ...lines,
    `Thresholds by group: ${list.join(", ")}; the rates differ by ${fixed(thresholds.gap.train)} on training rows${held}.`,
  ];
}

export async function statusCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate status DIR",
    about:
      "Shows the progress of a federation from its ledger, and which sites a running coordinator waits for.",
    options: { json: shared.json },
  });
  const folder = only(positionals, "folder");
  const found = await status(folder);
  if (values.json) {
    console.log(JSON.stringify(found));
    return 0;
  }
  const { rounds, exchanges, meanLoss, meanPrice, sites } = found;
  console.log(
    `${found.name}: ${rounds.done} of ${rounds.of} rounds, ${exchanges.done} of ${exchanges.of} exchanges.`,
  );
  if (meanLoss !== null)
    console.log(
      `Mean price ${fixed(meanPrice)}; mean loss at the start of the last round ${fixed(meanLoss)}.`,
    );
  if (found.rosterCode !== undefined) console.log(`Roster code: ${found.rosterCode}.`);
  if (found.givenUp > 0) console.log(`${found.givenUp} rounds were abandoned.`);
  for (const { site, joined, counted, lastCounted, epsilon, removed } of sites) {
    const gone = removed === undefined ? "" : `, removed: ${removed}`;
    const when = `${lastCounted === null ? "" : `, last in exchange ${lastCounted}`}${gone}`;
    const spent = epsilon === undefined ? "" : `, ε ${epsilon.toFixed(2)} spent`;
    console.log(
      `  ${site.padEnd(16)} ${joined ? `counted ${counted} times${when}${spent}` : "has not joined"}`,
    );
  }
  for (const line of evaluationLines(found)) console.log(line);
  if (found.missing !== undefined) console.log(found.missing);
  else if (found.late.length > 0)
    console.log(`A sum needs at least ${found.least} of ${sites.length} sites.`);
  for (const { site, why } of found.late) console.log(`Late: ${site} (${why})`);
  if (found.ended !== undefined) console.log(found.ended);
  else if (!found.running && rounds.done < rounds.of)
    console.log(
      `The coordinator does not answer; continue with pliant federate serve --resume ${word(folder)}`,
    );
  return 0;
}
