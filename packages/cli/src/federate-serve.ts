// pliant federate serve: the coordinator, its spec, and its log.
import { InputError } from "@pliant/core";
import { checkSpec, type FederationSpec, serve } from "@pliant/federation";
import { word } from "@pliant/train";
import { parse } from "yaml";
import { readArgs } from "./arguments.js";
import { only } from "./federate-usage.js";
import { number, shared, whole } from "./options.js";
import { fixed, untilStopped } from "./stopping.js";
import { readText } from "./streams.js";

function readSpec(file: string): FederationSpec {
  const text = readText(file);
  let given: unknown;
  try {
    given = parse(text);
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

export async function serveCommand(args: string[]): Promise<number> {
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
      patience: {
        type: "string",
        value: "SECONDS",
        about: "how long to wait for slow sites (default: 60 in training, 20 for other messages)",
      },
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
