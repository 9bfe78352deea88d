// pliant federate demo: a coordinator and sites as processes of their own on this machine, checked against the simulator.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InputError, PliantError } from "@pliant/core";
import { readNatsAddress } from "../nats/index.js";
import { encodeModel } from "../run/index.js";
import { readSiteData } from "../spec/site-data.js";
import { digest } from "../sums/index.js";
import { poolOf } from "../tables/index.js";
import { demoCsv, demoSpec, demoTable, siteNames } from "./demo-data.js";
import type { SiteReport } from "./join.js";
import { invite } from "./places.js";
import type { FederationReport } from "./serve.js";
import { simulatedRun } from "./simulated.js";

/** How many sites, for how long, and where. */
export interface DemoOptions {
  readonly sites: number;
  readonly rounds: number;
  readonly seed: number;
  readonly out: string;
  /** A NATS server and a Postgres database instead of the coordinator's own port and file. */
  readonly bus?: string;
  readonly ledger?: string;
  /** How the pliant command is started. */
  readonly command: readonly string[];
  readonly say?: (what: string) => void;
  readonly signal?: AbortSignal;
}

/** What the demo came to, beside the simulator. */
export interface DemoReport {
  readonly rounds: number;
  readonly finished: { readonly sites: number; readonly of: number };
  /** Model, prices and relaxations, to the bit. */
  readonly equalsSimulator: boolean;
  readonly sites: readonly { readonly name: string; readonly relaxation: number; readonly price: number }[];
}

/** Runs the demo from its first process to its last. */
export async function federationDemo(options: DemoOptions): Promise<DemoReport> {
  const { sites, rounds, seed, out, say = () => {} } = options;
  if (sites < 3)
    throw new InputError(`A federation has at least 3 sites, so that a sum hides each; got ${sites}.`);
  if (existsSync(join(out, "coordinator")))
    throw new InputError(`${out} has a demo already; choose another --out.`);
  if (options.bus !== undefined) readNatsAddress(options.bus);
  const spec = demoSpec(sites, rounds, seed);
  const names = siteNames(sites);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "spec.json"), JSON.stringify(spec, null, 2));
  const tables = names.map((name) => join(out, `${name}.csv`));
  for (const [i, file] of tables.entries()) writeFileSync(file, demoCsv(demoTable(i, sites, seed), spec));

  const children: ChildProcess[] = [];
  const end = () => {
    for (const child of children) child.kill("SIGTERM");
  };
  options.signal?.addEventListener("abort", end);
  try {
    const folder = join(out, "coordinator");
    const coordinator = start([
      "serve",
      join(out, "spec.json"),
      "--out",
      folder,
      // It is compared with a run that has all of its sites in every sum: none is left behind.
      "--patience",
      "600",
      ...(options.bus === undefined ? [] : ["--bus", options.bus]),
      ...(options.ledger === undefined ? [] : ["--ledger", options.ledger]),
    ]);
    await Promise.race([coordinator.says("Listening"), coordinator.ended]);
    say(`A coordinator and ${sites} sites, each a process of its own; sums are secure.`);
    const joining = [];
    for (const [i, name] of names.entries()) {
      const code = await invite(folder, name);
      const file = join(out, `${name}.code`);
      writeFileSync(file, code, { mode: 0o600 });
      joining.push(start(["join", file, "--yes", "--data", tables[i], "--out", join(out, name)]));
    }
    await Promise.all([coordinator.ended, ...joining.map(({ ended }) => ended)]);

    const report = read<FederationReport>(join(folder, "report.json"));
    const reports = names.map((name) => read<SiteReport>(join(out, name, "site.json")));
    say("The same in the simulator, to compare.");
    const pools = tables.map(async (file) =>
      poolOf((await readSiteData(file, spec)).encoded().train, spec.data),
    );
    const state = await simulatedRun(spec, await Promise.all(pools));
    const model = digest(encodeModel({ update: state.params, shared: state.solver.shared }));
    const equalsSimulator =
      model === report.model &&
      reports.every(({ price, relaxation }, c) =>
        [price === state.prices.data[c], relaxation === state.relaxations.data[c]].every(Boolean),
      );
    return {
      rounds: report.rounds,
      finished: report.finished,
      equalsSimulator,
      sites: reports.map(({ site, relaxation, price }) => ({ name: site, relaxation, price })),
    };
  } finally {
    options.signal?.removeEventListener("abort", end);
    end();
  }

  /** A process of the command: what it says, and its end, which is an error unless all went well. */
  function start(args: readonly string[]) {
    const [program, ...before] = options.command;
    const child = spawn(program, [...before, "federate", ...args], { stdio: ["ignore", "pipe", "pipe"] });
    children.push(child);
    let said = "";
    const heard: { readonly text: string; readonly tell: () => void }[] = [];
    const hear = (data: Buffer) => {
      said += data.toString();
      for (const { text, tell } of heard) if (said.includes(text)) tell();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    const ended = new Promise<void>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code) => {
        if (code === 0) resolve();
        else
          reject(
            new PliantError(`pliant federate ${args[0]} ended with ${code}: ${said.trim().slice(-500)}`),
          );
      });
    });
    ended.catch(() => {});
    return {
      ended,
      says: (text: string) => new Promise<void>((tell) => heard.push({ text, tell })),
    };
  }
}

const read = <T>(file: string): T => JSON.parse(readFileSync(file, "utf8")) as T;
