// pliant federate: sites that keep their data and a coordinator that sees sums.
import { existsSync, readFileSync } from "node:fs";
import { InputError, inColumns, PliantError, unknownName } from "@pliant/core";
import { open } from "@pliant/engine/device";
import {
  checkSpec,
  decodeCode,
  type FederationSpec,
  federationDemo,
  invite,
  join,
  linkOf,
  revoke,
  type SiteReport,
  serve,
  status,
} from "@pliant/federation";
import { word } from "@pliant/train";
import { parse } from "yaml";
import { readArgs, refuseWords } from "./arguments.js";
import { number, readDevice, readSeed, shared, whole } from "./options.js";

const usage =
  "pliant federate demo, simulate FILE, serve SPEC --out DIR, invite DIR --site NAME, join CODE --data FILE, or status DIR";

export async function federate([action, ...args]: string[]): Promise<number> {
  if (action === "--help" || action === "-h")
    readArgs(["--help"], {
      usage:
        "federate demo | simulate FILE | serve SPEC | invite DIR --site NAME | join CODE --data FILE | status DIR",
      about:
        "Trains between machines: sites keep their data, a coordinator sees sums. Each has a --help of its own.",
      options: {},
    });
  if (action === undefined) throw new InputError(`say what to do: ${usage}.`);
  const known: Record<string, (args: string[]) => Promise<number>> = {
    demo,
    simulate: async (args) => (await import("./federate-simulate.js")).simulateCommand(args),
    serve: serveCommand,
    invite: inviteCommand,
    join: joinCommand,
    status: statusCommand,
  };
  if (!Object.hasOwn(known, action))
    throw unknownName("something federate can do", action, Object.keys(known));
  return await known[action](args);
}

/** Aborted by the first SIGINT or SIGTERM; what must not be lost is on the disk at any moment. */
function untilStopped(sentence: string): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => controller.abort(new PliantError(sentence)));
  return controller.signal;
}

function only(positionals: readonly string[], what: string): string {
  if (positionals.length !== 1) throw new InputError(`one ${what} is needed: ${usage}.`);
  return positionals[0];
}

const fixed = (value: number): string => value.toFixed(4);

async function demo(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate demo",
    about:
      "A coordinator and sites as processes on this machine, one of which cannot meet its requirement; checked against the simulator.",
    options: {
      sites: { type: "string", value: "N", default: "5", about: "how many sites" },
      rounds: { type: "string", value: "N", default: "6", about: "how many rounds" },
      seed: { type: "string", value: "N", default: "23", about: "of data, model and order" },
      out: { type: "string", value: "DIR", default: "runs/federation-demo", about: "where it all goes" },
      bus: { type: "string", value: "nats://…", about: "a NATS server where sites meet" },
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

/** What sites were told when they joined. */
const settled = [
  ["sites", "how many sites take part is"],
  ["min", "how many sites a sum has at the least is"],
  ["ledger", "the place of the ledger is"],
  ["bus", "where sites meet is"],
] as const;

async function serveCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate serve SPEC",
    about: "Runs the coordinator of a federation until its last round is done.",
    options: {
      out: { type: "string", value: "DIR", default: "runs/federation", about: "ledger, model and report" },
      resume: {
        type: "string",
        value: "DIR",
        about: "goes on with the federation of a folder, without SPEC",
      },
      ledger: {
        type: "string",
        value: "postgres://…",
        about: "a database for the ledger; a file of SQLite in DIR unless given",
      },
      bus: {
        type: "string",
        value: "nats://…",
        about: "a NATS server where sites meet; the coordinator's own port unless given",
      },
      host: { type: "string", value: "ADDRESS", about: "where it listens; 127.0.0.1 unless given" },
      port: { type: "string", value: "N", about: "any that is free unless given" },
      sites: { type: "string", value: "N", about: "how many sites, instead of the spec's sites.number" },
      min: { type: "string", value: "N", about: "sites in a sum at the least, instead of sites.least" },
      patience: { type: "string", value: "SECONDS", about: "how long slow sites are waited for" },
    },
  });
  const { resume } = values;
  if (resume !== undefined && positionals.length > 0)
    throw new InputError("a federation that goes on has its spec; leave it out with --resume.");
  if (resume !== undefined)
    for (const [option, what] of settled)
      if (values[option] !== undefined)
        throw new InputError(
          `${what} settled when a federation begins; leave out --${option} with --resume.`,
        );
  const asked = resume === undefined ? readSpec(only(positionals, "spec")) : undefined;
  const sites = { number: whole("sites", values.sites), least: whole("min", values.min) };
  const spec =
    asked &&
    checkSpec({
      ...asked,
      sites: {
        ...asked.sites,
        ...(sites.number && { number: sites.number }),
        ...(sites.least && { least: sites.least }),
      },
    });
  const out = resume ?? values.out;
  const patience = number("patience", values.patience);
  const report = await serve({
    spec,
    out,
    ledger: values.ledger,
    bus: values.bus,
    host: values.host,
    port: whole("port", values.port),
    patience: patience === undefined ? undefined : { training: 1000 * patience, answer: 1000 * patience },
    say: console.log,
    onListening: ({ host, port }) =>
      console.log(
        `Listening at ${host}:${port}. Invite sites with: pliant federate invite ${word(out)} --site NAME`,
      ),
    onCommitted: ({ shown, survivors, meanLoss }) => {
      if (shown.exchange !== 0) return;
      console.log(
        `Round ${shown.step}: ${survivors.length} sites, mean loss ${meanLoss === null ? "?" : fixed(meanLoss)}, mean price ${fixed(shown.meanPrice)}.`,
      );
    },
    signal: untilStopped(
      `The coordinator was stopped; go on with pliant federate serve --resume ${word(out)}`,
    ),
  });
  const { finished } = report;
  console.log(
    `Done: ${report.rounds} rounds, ${finished.sites} of ${finished.of} sites finished. The model is in ${out}.`,
  );
  return 0;
}

async function inviteCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate invite DIR --site NAME",
    about: "Prints a join code for one site, which can be used once.",
    options: {
      site: { type: "string", value: "NAME", about: "who is invited" },
      host: {
        type: "string",
        value: "ADDRESS",
        about: "where the site finds the coordinator, if not where it listens",
      },
      hours: { type: "string", value: "N", default: "72", about: "how long the code is good" },
      revoke: {
        type: "boolean",
        about:
          "takes the place back instead: of a code that nobody used, or of a site that lost its folder before all have joined",
      },
    },
  });
  const folder = only(positionals, "folder");
  if (values.site === undefined) throw new InputError("say which site is invited, with --site NAME.");
  if (values.revoke) {
    await revoke(folder, values.site);
    console.log(`The place of ${values.site} is free; its code opens nothing.`);
    return 0;
  }
  const code = await invite(folder, values.site, { host: values.host, hours: number("hours", values.hours) });
  console.log(code);
  console.error(`Or, with the table in a browser: ${linkOf(code)}`);
  return 0;
}

async function joinCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate join CODE --data FILE",
    about: "Takes part in a federation with data that stay here.",
    options: {
      data: {
        type: "string",
        value: "FILE",
        about: "this site's table (CSV, JSON lines or Parquet), or its folder of images",
      },
      device: {
        type: "string",
        value: "NAME",
        default: "reference",
        about: "where it trains: auto, cpu, cuda or reference",
      },
      out: {
        type: "string",
        value: "DIR",
        about: "identity, price and relaxation; runs/site-NAME unless given",
      },
      resume: { type: "string", value: "DIR", about: "goes on with the site of a folder, without CODE" },
      at: {
        type: "string",
        value: "HOST:PORT",
        about: "with --resume: where the coordinator listens now, if not where this site joined",
      },
    },
  });
  const { data, resume } = values;
  if (data === undefined) throw new InputError("say which table this site has, with --data FILE.");
  if (resume !== undefined && positionals.length > 0)
    throw new InputError("a site that goes on has used its code; leave it out with --resume.");
  const code = resume === undefined ? only(positionals, "join code") : undefined;
  const out = resume ?? values.out ?? `runs/site-${decodeCode(code!).site}`;
  const backend = await open(readDevice(values.device));
  const report = await join({
    code,
    data,
    out,
    at: values.at,
    backend,
    say: (what) => console.error(what),
    signal: untilStopped(
      `This site was stopped; go on with pliant federate join --resume ${word(out)} --data ${word(data)}`,
    ),
  }).finally(() => backend.close());
  console.log(
    `Done: ${report.site} gave way by ${fixed(report.relaxation)} at a price of ${fixed(report.price)}${finalWords(report)}. These numbers stay in ${out}.`,
  );
  return 0;
}

/** Of the final model, which the site may no longer get. */
const finalWords = ({ loss, accuracy }: SiteReport): string =>
  loss === undefined || accuracy === undefined
    ? ""
    : `; the final model has a loss of ${fixed(loss)} on its rows and is right on ${(100 * accuracy).toFixed(1)}%`;

async function statusCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate status DIR",
    about: "What the ledger of a federation says, and whom its coordinator waits for if it runs.",
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
      `Mean price ${fixed(meanPrice)}; mean loss at the beginning of the last round ${fixed(meanLoss)}.`,
    );
  for (const { site, joined, counted, lastCounted, epsilon } of sites) {
    const when = lastCounted === null ? "" : `, last in exchange ${lastCounted}`;
    const spent = epsilon === undefined ? "" : `, ε ${epsilon.toFixed(2)} spent`;
    console.log(
      `  ${site.padEnd(16)} ${joined ? `counted ${counted} times${when}${spent}` : "has not joined"}`,
    );
  }
  if (found.missing !== undefined) console.log(found.missing);
  else if (found.late.length > 0)
    console.log(`A sum needs at least ${found.least} of ${sites.length} sites.`);
  for (const { site, why } of found.late) console.log(`Late: ${site} (${why})`);
  if (found.ended !== undefined) console.log(found.ended);
  else if (!found.running && rounds.done < rounds.of)
    console.log(`Its coordinator does not answer; go on with pliant federate serve --resume ${word(folder)}`);
  return 0;
}
