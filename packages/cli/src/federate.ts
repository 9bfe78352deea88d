// pliant federate: sites that keep their data, and a coordinator that sees only sums.
import { InputError, inColumns, unknownName } from "@pliant/core";
import { federationDemo } from "@pliant/federation";
import { readArgs, refuseWords } from "./arguments.js";
import { joinCommand } from "./federate-join.js";
import { inviteCommand, removeCommand } from "./federate-members.js";
import { inspectCommand, schemaCommand } from "./federate-schema.js";
import { serveCommand } from "./federate-serve.js";
import { auditCommand, statusCommand } from "./federate-status.js";
import { usage } from "./federate-usage.js";
import { readSeed, shared, whole } from "./options.js";
import { fixed, untilStopped } from "./stopping.js";

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
