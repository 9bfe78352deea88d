// pliant federate join: a site, its privacy policy, and the consent of the person who runs it.
import { createInterface } from "node:readline/promises";
import { InputError } from "@pliant/core";
import { open } from "@pliant/engine/device";
import {
  checkPolicy,
  decodeCode,
  join,
  leastRowsByDefault,
  type Policy,
  type SiteReport,
  stricter,
} from "@pliant/federation";
import { word } from "@pliant/train";
import { parse } from "yaml";
import { readArgs } from "./arguments.js";
import { number, readDevice, shared, whole } from "./options.js";
import { fixed, untilStopped } from "./stopping.js";
import { readText } from "./streams.js";

export async function joinCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate join CODE-FILE --data FILE",
    about: "Joins a federation; the data stay here. CODE-FILE holds the join code; use - for standard input.",
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
        about: "auto, cpu, cuda or reference",
      },
      out: {
        type: "string",
        value: "DIR",
        about: "the folder for this site's identity, price and relaxation (default: runs/site-NAME)",
      },
      resume: { type: "string", value: "DIR", about: "continue the site in a folder, without CODE-FILE" },
      at: {
        type: "string",
        value: "HOST:PORT",
        about: "with --resume: the coordinator's new address",
      },
      ca: {
        type: "string",
        value: "FILE",
        about: "the authority that issued the coordinator's certificate, as PEM, if Node does not know it",
      },
      code: {
        type: "string",
        value: "CODE",
        about: "the join code itself, visible to everyone on this machine in the process list",
      },
      yes: { type: "boolean", about: "accept the terms without being asked" },
      "secure-only": { type: "boolean", about: "take part in secure sums only" },
      least: {
        type: "string",
        value: "N",
        about: "take part only in sums of at least N sites, whatever the spec says",
      },
      epsilon: { type: "string", value: "E", about: "join only if records are private with ε at most E" },
      "least-rows": {
        type: "string",
        value: "N",
        about: `learn from at least N rows, and leave out categories and groups with fewer rows here (default: ${leastRowsByDefault})`,
      },
      roster: { type: "string", value: "CODE", about: "take part only if the roster has this code" },
      "pin-roster": { type: "boolean", about: "stop if others join after the start" },
      policy: {
        type: "string",
        value: "FILE",
        about: "these limits as YAML: secureOnly, least, epsilon, leastRows, roster",
      },
      json: shared.json,
    },
  });
  // Files that a site writes are readable by their owner only.
  process.umask(0o077);
  const { data, resume } = values;
  if (data === undefined) throw new InputError("name this site's table with --data FILE.");
  if (resume !== undefined && (positionals.length > 0 || values.code !== undefined))
    throw new InputError("--resume needs no join code; leave it out.");
  const code = resume === undefined ? await readCode(positionals, values.code) : undefined;
  const out = resume ?? values.out ?? `runs/site-${decodeCode(code!).site}`;
  const given: Policy = {
    secureOnly: values["secure-only"],
    least: whole("least", values.least),
    epsilon: number("epsilon", values.epsilon),
    leastRows: whole("least-rows", values["least-rows"]),
    roster: values.roster ?? (values["pin-roster"] ? true : undefined),
  };
  const asked = stricter(given, values.policy === undefined ? {} : readPolicy(values.policy));
  // A site that goes on keeps the floor that it joined with.
  const policy = resume === undefined ? { leastRows: leastRowsByDefault, ...asked } : asked;
  const backend = await open(readDevice(values.device));
  const report = await join({
    ...{ code, data, out, at: values.at, ca: readAuthority(values.ca), backend, policy },
    consent: values.yes ? showTerms : askConsent,
    say: (what) => console.error(what),
    signal: untilStopped(
      `This site was stopped; continue with pliant federate join --resume ${word(out)} --data ${word(data)}`,
    ),
  }).finally(() => backend.close());
  if (values.json) {
    console.log(JSON.stringify({ ...report, out }));
    return 0;
  }
  console.log(
    `Done: ${report.site} relaxed its requirement by ${fixed(report.relaxation)} at a price of ${fixed(report.price)}${impliedWords(report)}${finalWords(report)}. These numbers stay in ${out}${report.open ? ", but sums were not secure: the coordinator saw this site's updates and losses" : ""}.`,
  );
  return 0;
}

/** Reads the code from a file or standard input; an argument of the command line would be visible to others. */
async function readCode(positionals: readonly string[], given: string | undefined): Promise<string> {
  if (given !== undefined && positionals.length === 0) return given;
  if (positionals.length !== 1 || given !== undefined)
    throw new InputError(
      "one join code is needed: a file that holds it, - for standard input, or --code CODE.",
    );
  const [source] = positionals;
  if (source === "-") return (await readStdin()).trim();
  if (source.startsWith("pliant1-"))
    throw new InputError(
      "everyone on this machine can see a join code on the command line: put it in a file and name the file, pipe it to -, or insist with --code CODE.",
    );
  return readText(source).trim();
}

function readAuthority(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const text = readText(file);
  if (!text.includes("-----BEGIN CERTIFICATE-----"))
    throw new InputError(`${file} has no certificate as PEM.`);
  return text;
}

async function readStdin(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) {
    parts.push(part as Buffer);
    // A code is one line; a terminal stays open for the question that follows.
    if (String(part).includes("\n")) break;
  }
  return Buffer.concat(parts).toString();
}

function readPolicy(file: string): Policy {
  const text = readText(file);
  try {
    return checkPolicy(parse(text), file);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${file}: ${(error as Error).message.split("\n")[0]}`);
  }
}

async function showTerms(terms: readonly string[]): Promise<boolean> {
  console.error(terms.join("\n"));
  return true;
}

async function askConsent(terms: readonly string[]): Promise<boolean> {
  await showTerms(terms);
  if (!process.stdin.isTTY)
    throw new InputError("there is no terminal to ask for consent; accept these terms with --yes.");
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question("Join under these terms? [y/N] ");
  asking.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** At the equilibrium this equals the price. */
const impliedWords = ({ impliedPrice }: SiteReport): string =>
  impliedPrice === undefined ? "" : ` (${fixed(impliedPrice)} implied by the final losses)`;

/** Empty if the coordinator stopped before the site read the final model. */
function finalWords({ loss, accuracy, rmse, test, personalised }: SiteReport): string {
  if (loss === undefined) return "";
  const words = (of: { loss: number; accuracy?: number; rmse?: number }, rows: string) => {
    const score =
      of.accuracy !== undefined
        ? `, accuracy ${(100 * of.accuracy).toFixed(1)} %`
        : `, RMSE ${of.rmse?.toPrecision(4)}`;
    return `loss ${fixed(of.loss)}${score} on ${rows} rows`;
  };
  const own =
    personalised && words(personalised.test ?? personalised.train, test ? "held-out" : "its training");
  return [
    `; final model: ${words({ loss, accuracy, rmse }, "its training")}`,
    ...(test ? [words(test, "held-out")] : []),
    ...(own ? [`with a head of its own: ${own}`] : []),
  ].join("; ");
}
