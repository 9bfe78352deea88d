// pliant federate: sites that keep their data, and a coordinator that sees only sums.
import { existsSync, readFileSync } from "node:fs";
import { InputError, inColumns, unknownName } from "@pliant/core";
import {
  audit,
  checkSpec,
  type FederationSpec,
  federationDemo,
  invite,
  linkOf,
  type Measured,
  type MeasuredParts,
  remove,
  serve,
  status,
} from "@pliant/federation";
import { word } from "@pliant/train";
import { parse } from "yaml";
import { readArgs, refuseWords } from "./arguments.js";
import { joinCommand } from "./federate-join.js";
import { inspectCommand, schemaCommand } from "./federate-schema.js";
import { number, readSeed, shared, whole } from "./options.js";
import { fixed, untilStopped } from "./stopping.js";

const usage =
  "pliant federate demo, simulate FILE, inspect FILE, schema INSPECTION… --target COLUMN, serve SPEC --out DIR, invite DIR --site NAME, join CODE-FILE --data FILE, remove DIR --site NAME, status DIR, or audit DIR";

export async function federate([action, ...args]: string[]): Promise<number> {
  if (action === "--help" || action === "-h")
    readArgs(["--help"], {
      usage: "federate demo | simulate | inspect | schema | serve | invite | join | remove | status | audit",
      about: [
        "Trains across machines: sites keep their data, and the coordinator sees only sums. Each subcommand has its own --help.",
        "",
        "  demo                                   run a coordinator and sites on this machine, and compare with the simulator",
        "  simulate FILE                          simulate a federation from a program",
        "  inspect FILE                           print the columns and categories of a site's table, without rows",
        "  schema INSPECTION… --target COLUMN     propose a spec that fits all inspected tables",
        "  serve SPEC                             run the coordinator",
        "  invite DIR --site NAME                 print a join code for one site",
        "  join CODE-FILE --data FILE             take part as a site",
        "  remove DIR --site NAME                 remove a site",
        "  status DIR                             show the progress of a federation",
        "  audit DIR                              check the ledger and all blobs against their hashes",
      ].join("\n"),
      options: { json: shared.json },
    });
  if (action === undefined || action === "--json") throw new InputError(`a subcommand is missing: ${usage}.`);
  const known: Record<string, (args: string[]) => Promise<number>> = {
    demo,
    simulate: async (args) => (await import("./federate-simulate.js")).simulateCommand(args),
    inspect: inspectCommand,
    schema: schemaCommand,
    serve: serveCommand,
    invite: inviteCommand,
    join: joinCommand,
    remove: removeCommand,
    status: statusCommand,
    audit: auditCommand,
  };
  if (!Object.hasOwn(known, action))
    throw unknownName("a subcommand of federate", action, Object.keys(known));
  return await known[action](args);
}

function only(positionals: readonly string[], what: string): string {
  if (positionals.length !== 1) throw new InputError(`one ${what} is needed: ${usage}.`);
  return positionals[0];
}

async function demo(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate demo",
    about:
      "Starts a coordinator and sites on this machine, one of which cannot meet its requirement, and compares the result with the simulator.",
    options: {
      sites: { type: "string", value: "N", default: "5", about: "number of sites" },
      rounds: { type: "string", value: "N", default: "6", about: "number of rounds" },
      seed: { type: "string", value: "N", default: "23", about: "seed of data, model and order" },
      out: { type: "string", value: "DIR", default: "runs/federation-demo", about: "the output folder" },
      bus: { type: "string", value: "nats://…", about: "a NATS server for the messages" },
      ledger: { type: "string", value: "postgres://…", about: "a database for the ledger" },
      json: shared.json,
    },
  });
  refuseWords(positionals, "federate demo");
  const report = await federationDemo({
    sites: whole("sites", values.sites),
    rounds: whole("rounds", values.rounds),
    seed: readSeed(values.seed),
    out: values.out,
    bus: values.bus,
    ledger: values.ledger,
    command: [process.execPath, process.argv[1]],
    say: values.json ? undefined : console.log,
    signal: untilStopped("The demo was stopped."),
  });
  if (values.json) console.log(JSON.stringify(report));
  else {
    const { rounds, finished, sites, equalsSimulator } = report;
    console.log(`\n${rounds} rounds; ${finished.sites} of ${finished.of} sites finished.\n`);
    const rows = sites.map(({ name, relaxation, price }) => [name, fixed(relaxation), fixed(price)]);
    console.log(inColumns([["site", "gave way by", "price"], ...rows], (column) => column === 0));
    console.log(
      equalsSimulator
        ? "\nModel, prices and relaxations equal the simulator's, to the bit."
        : "\nModel, prices or relaxations differ from the simulator's.",
    );
  }
  return report.equalsSimulator && report.finished.sites === report.finished.of ? 0 : 1;
}

function readSpec(file: string): FederationSpec {
  if (!existsSync(file)) throw new InputError(`there is no file ${file}.`);
  let given: unknown;
  try {
    given = parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new InputError(`${file}: ${(error as Error).message.split("\n")[0]}`);
  }
  return checkSpec(given, file);
}

/** Settings that are fixed once sites have joined. */
const settled = [
  ["sites", "the number of sites is"],
  ["least", "the smallest number of sites in a sum is"],
  ["ledger", "the ledger is"],
  ["bus", "the message bus is"],
  ["blobs", "the store of models and updates is"],
] as const;

/** Sentences for people, or one JSON object a line for log collectors; some events have no sentence. */
function logging(
  format: string,
  print: (line: string) => void,
): (event: string, more: object, sentence?: string) => void {
  if (format !== "text" && format !== "json")
    throw new InputError(`--log must be text or json, not ${format}.`);
  return (event, more, sentence) => {
    if (format === "json") print(JSON.stringify({ time: new Date().toISOString(), event, ...more }));
    else if (sentence !== undefined) print(sentence);
  };
}

/** A disconnected site is waited for a twelfth of the time, such as 5 s of a minute. */
const patienceOf = (ms: number) => ({ training: ms, answer: ms, away: ms / 12 });

function readIssued(
  certificate: string | undefined,
  key: string | undefined,
): { readonly certificate: string; readonly key: string } | undefined {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw new InputError("--certificate and --key go together.");
  return { certificate, key };
}

async function serveCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate serve SPEC",
    about: "Runs the coordinator of a federation until its last round is done.",
    options: {
      out: {
        type: "string",
        value: "DIR",
        default: "runs/federation",
        about: "the folder for ledger, model and report",
      },
      resume: {
        type: "string",
        value: "DIR",
        about: "continue the federation in a folder, without SPEC",
      },
      ledger: {
        type: "string",
        value: "postgres://…",
        about: "a database for the ledger (default: a file in DIR)",
      },
      bus: {
        type: "string",
        value: "nats://…",
        about: "a NATS server for the messages (default: the coordinator's own port)",
      },
      blobs: {
        type: "string",
        value: "s3://BUCKET/PREFIX?endpoint=URL",
        about: "an S3-compatible store for models and updates (default: a folder in DIR)",
      },
      host: { type: "string", value: "ADDRESS", about: "the address to listen on (default: 127.0.0.1)" },
      port: { type: "string", value: "N", about: "the port to listen on (default: any free port)" },
      certificate: {
        type: "string",
        value: "FILE",
        about:
          "a certificate from an authority, with its chain, as PEM (default: a self-signed one, pinned by the join codes)",
      },
      key: { type: "string", value: "FILE", about: "the key of --certificate, as PEM" },
      sites: { type: "string", value: "N", about: "number of sites, overriding sites.number" },
      least: {
        type: "string",
        value: "N",
        about: "smallest number of sites in a sum, overriding sites.least",
      },
      patience: { type: "string", value: "SECONDS", about: "how long to wait for slow sites" },
      metrics: {
        type: "string",
        value: "[HOST:]PORT",
        about: "serve Prometheus metrics there, at /metrics over plain HTTP",
      },
      log: {
        type: "string",
        value: "text|json",
        default: "text",
        about: "log sentences, or one JSON object a line",
      },
      standby: {
        type: "boolean",
        about: "with --resume: take over when the running coordinator stops",
      },
      json: {
        ...shared.json,
        about: "print the report, or an error, as one JSON object; the log goes to standard error",
      },
    },
  });
  const { resume } = values;
  // Only the owner may read the key and the ledger.
  process.umask(0o077);
  if (resume !== undefined && positionals.length > 0)
    throw new InputError("--resume takes the spec from the folder; leave SPEC out.");
  if (resume !== undefined)
    for (const [option, what] of settled)
      if (values[option] !== undefined)
        throw new InputError(`${what} fixed when a federation starts; leave out --${option} with --resume.`);
  const givenSpec = resume === undefined ? readSpec(only(positionals, "spec")) : undefined;
  const sites = { number: whole("sites", values.sites), least: whole("least", values.least) };
  const spec =
    givenSpec &&
    checkSpec({
      ...givenSpec,
      sites: {
        ...givenSpec.sites,
        ...(sites.number && { number: sites.number }),
        ...(sites.least && { least: sites.least }),
      },
    });
  const out = resume ?? values.out;
  const log = logging(values.log, values.json ? console.error : console.log);
  const patience = number("patience", values.patience);
  let loggedRounds = 0;
  const report = await serve({
    spec,
    out,
    ledger: values.ledger,
    bus: values.bus,
    blobs: values.blobs,
    host: values.host,
    port: whole("port", values.port),
    issued: readIssued(values.certificate, values.key),
    patience: patience === undefined ? undefined : patienceOf(1000 * patience),
    standby: values.standby,
    metrics: values.metrics,
    say: (text) => log("said", { text }, text),
    onListening: ({ host, port }) =>
      log(
        "listening",
        { host, port },
        `Listening at ${host}:${port}. Invite sites with: pliant federate invite ${word(out)} --site NAME`,
      ),
    onFault: ({ kind, ...fault }) => log(kind, fault),
    onCommitted: (row, rounds) => {
      const { shown, survivors, meanLoss } = row;
      const loss = meanLoss === null ? "?" : fixed(meanLoss);
      const round = `Round ${rounds}: ${survivors.length} sites, mean loss ${loss}, mean price ${fixed(shown.meanPrice)}.`;
      // Surveys and evaluations do not end a round.
      log("committed", { ...row }, shown.exchange === 0 && rounds > loggedRounds ? round : undefined);
      loggedRounds = Math.max(loggedRounds, rounds);
    },
    signal: untilStopped(
      `The coordinator was stopped; continue with pliant federate serve --resume ${word(out)}`,
    ),
  });
  const { finished } = report;
  if (values.json) console.log(JSON.stringify(report));
  log(
    "done",
    { ...report },
    `Done: ${report.rounds} rounds, ${finished.sites} of ${finished.of} sites finished. The model is in ${out}.`,
  );
  return 0;
}

async function inviteCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate invite DIR --site NAME",
    about: "Prints a join code for one site, to be used once.",
    options: {
      site: { type: "string", value: "NAME", about: "the site to invite" },
      host: {
        type: "string",
        value: "ADDRESS",
        about: "the address at which the site reaches the coordinator (default: where it listens)",
      },
      hours: { type: "string", value: "N", default: "72", about: "how long the code is valid" },
      json: shared.json,
    },
  });
  const folder = only(positionals, "folder");
  if (values.site === undefined) throw new InputError("name the site to invite with --site NAME.");
  const code = await invite(folder, values.site, { host: values.host, hours: number("hours", values.hours) });
  if (values.json) {
    console.log(JSON.stringify({ site: values.site, code, link: linkOf(code) }));
    return 0;
  }
  console.log(code);
  console.error(`To join from a browser: ${linkOf(code)}`);
  return 0;
}

async function removeCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate remove DIR --site NAME",
    about:
      "Removes a site: one that never used its code, lost its folder or should leave. Its place is free for another invitation.",
    options: {
      site: { type: "string", value: "NAME", about: "the site to remove" },
      reason: { type: "string", value: "TEXT", about: "the reason, for the ledger" },
      json: shared.json,
    },
  });
  const folder = only(positionals, "folder");
  if (values.site === undefined) throw new InputError("name the site to remove with --site NAME.");
  await remove(folder, values.site, values.reason);
  if (values.json) console.log(JSON.stringify({ removed: values.site }));
  else console.log(`${values.site} was removed; its code and its identity are void, and its place is free.`);
  return 0;
}

async function auditCommand(args: string[]): Promise<number> {
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
  const { entries, head, exchanges, blobs, problems, roster, unproven } = found;
  if (values.json) console.log(JSON.stringify(found));
  else if (problems.length > 0) console.log(problems.join("\n"));
  else {
    console.log(`${entries} entries and ${blobs} blobs match their hashes; ${exchanges} exchanges are done.`);
    console.log(`The ledger's hash is ${head}.`);
    if (roster) console.log(`The roster's code is ${roster}: compare it with the one that the sites have.`);
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
    ...[train, test].flatMap((part) => (part ? [fixed(part.loss), score(part), String(part.rows)] : [])),
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

async function statusCommand(args: string[]): Promise<number> {
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
