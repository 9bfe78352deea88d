// pliant federate join: a site over its folder, which holds its identity, its numbers, and whom it sums with.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join as path } from "node:path";
import { InputError, PliantError } from "@pliant/core";
import { type Backend, reference } from "@pliant/engine";
import { type ClientState, planned } from "@pliant/federated";
import { decodeCode, embeddedSite, httpsBlobs, joinWith } from "../embedded/index.js";
import { natsSite } from "../nats/index.js";
import { decodePlain, encodePlain, readIfThere, sealed, unsealed, writeDurably } from "../ports/index.js";
import { type Identity, identityOf, newSecret, type SiteDisk } from "../protocol/index.js";
import { type SiteStore, type TookPart, takePart } from "../run/index.js";
import { readSiteData } from "../spec/site-data.js";
import {
  beginOf,
  checkSpec,
  type FederationSpec,
  networkOptions,
  parametersOf,
  specHash,
} from "../spec/spec.js";
import { trainingStep } from "../spec/stages.js";
import { type SiteTable, sizesNote } from "../tables/index.js";
import { checkSameCode, checkSameTable, codeMark, type Kept, readAt, readKept, tableMark } from "./joined.js";
import { checkTerms, type Policy, stricter, termsOf } from "./policy.js";
import { rosterKeeper } from "./roster-keeper.js";
import { watchSite } from "./watched.js";

/** Which site, with which data, and the folder that it goes on from. */
export interface JoinOptions {
  /** Of a new site; left out, the folder's goes on. */
  readonly code?: string;
  /** HOST:PORT, for a site that goes on with a coordinator that is elsewhere by now. */
  readonly at?: string;
  /** Authorities to trust besides those that Node does, as PEM, where an authority issued the coordinator's certificate. */
  readonly ca?: string;
  /** CSV, JSON lines or Parquet; a folder of images where the federation learns from them. */
  readonly data: string;
  /** Where it trains; `reference` unless given. */
  readonly backend?: Backend;
  readonly out: string;
  /** Floors of this site's own; with those that its folder keeps, the stricter. */
  readonly policy?: Policy;
  /** Asked with the terms before the code is used; without it, whoever calls has agreed. */
  readonly consent?: (terms: readonly string[]) => Promise<boolean>;
  readonly say?: (what: string) => void;
  readonly onPhase?: (phase: string, exchange: number) => void;
  readonly signal?: AbortSignal;
}

/** A site's own numbers, with its name. */
export interface SiteReport extends TookPart {
  readonly site: string;
  /** Whether the coordinator saw this site's updates and losses, because sums were taken in the open. */
  readonly open?: true;
}

interface Joined {
  readonly address: Omit<Kept, "spec">;
  readonly spec: FederationSpec;
  readonly identity: Identity;
  readonly table: SiteTable;
  readonly policy: Policy;
}

/** Only where the coordinator is not known by its fingerprint. */
function authorities(fingerprint: string | undefined, ca: string | undefined): { readonly ca?: string } {
  if (ca === undefined) return {};
  if (fingerprint !== undefined)
    throw new InputError("The join code names the coordinator's certificate itself; leave --ca out.");
  return { ca };
}

/** In bytes, at the most: parameters and the solver's second average of them in double precision, and what was agreed. */
const modelLength = (spec: FederationSpec): number => 16 * parametersOf(spec) + (16 << 20);

/** Takes part until the federation is over. */
export async function join(options: JoinOptions): Promise<SiteReport> {
  const { out, data, say = () => {} } = options;
  const file = (name: string) => path(out, name);
  const known = readIfThere(file("joined.json"));
  if (options.code === undefined && !known)
    throw new InputError(`${out} has not joined a federation; give the join code.`);
  if (options.at !== undefined && !known)
    throw new InputError("A join code says where the coordinator is; --at is for a site that goes on.");
  const { address, spec, identity, table, policy } = known ? await resumed(known) : await first();
  const { site, run, bus } = address;
  // One that was told that it is over, and has its report, has nothing more to do.
  const before = readIfThere(file("site.json"));
  if (before) {
    say(`${spec.name} is over, and ${site} has heard so.`);
    return JSON.parse(before.toString()) as SiteReport;
  }
  say(
    known
      ? `${site} goes on in ${spec.name} with ${table.rows} rows.`
      : `${site} has joined ${spec.name} with ${table.rows} rows; it begins when ${beginOf(spec)} have.`,
  );
  const note = sizesNote(table, spec);
  // Whoever consented has read the notes of the table.
  const notes = options.consent ? [] : table.notes;
  if (!known) for (const one of [...notes, ...(note === undefined ? [] : [note])]) say(one);
  const connection =
    bus === undefined
      ? embeddedSite(address, site, identity, { say })
      : natsSite(bus, address, site, identity, say);
  const stop = () => void connection.bus.close();
  options.signal?.addEventListener("abort", stop);
  if (options.signal?.aborted) stop();
  try {
    const roster = await connection.roster().catch((reason: unknown) => {
      options.signal?.throwIfAborted();
      throw reason;
    });
    const members = rosterKeeper(file("roster.json"), { run, site, key: identity.key, policy, say });
    const { index } = members.take(roster);
    const store: SiteStore = {
      load: () => {
        const text = readIfThere(file("site-state.json"));
        return text && decodePlain<SiteDisk<ClientState>>(unsealed(text, file("site-state.json")));
      },
      save: (disk) => writeDurably(file("site-state.json"), sealed(encodePlain(disk))),
    };
    const { rounds } = spec.training;
    const each = planned(networkOptions(spec, reference())).length;
    const sayRound = ({ state: { price, relaxation } }: SiteDisk<ClientState>, exchange: number) => {
      const round = trainingStep(spec, exchange + 1) / each;
      if (!Number.isInteger(round) || round < 1 || round > rounds) return;
      say(`Round ${round} of ${rounds}: price ${price.toFixed(4)}, relaxation ${relaxation.toFixed(4)}.`);
    };
    const watching = watchSite(out, site, spec, table, store.load());
    const took = await takePart({
      run,
      spec,
      site,
      identity,
      roster,
      index,
      least: policy.least,
      onRoster: (take) =>
        connection.onRoster((next) => {
          try {
            members.take(next);
            take(next);
          } catch (error) {
            connection.end((error as Error).message);
          }
        }),
      data: table,
      bus: connection.bus,
      blobs: httpsBlobs(address, site, identity, modelLength(spec)),
      store,
      backend: options.backend,
      say,
      onPhase: (phase, exchange) => {
        watching.phase(phase);
        options.onPhase?.(phase, exchange);
      },
      onCounted: (disk, exchange) => {
        watching.counted(disk, exchange);
        sayRound(disk, exchange);
      },
      onModel: (params, agreed) => {
        if (agreed) writeDurably(file("agreed.json"), JSON.stringify(agreed));
        writeDurably(file("model.json"), encodePlain(params));
      },
      signal: options.signal,
    });
    const report: SiteReport = { site, ...took, ...(spec.sums.kind === "plain" && { open: true }) };
    writeDurably(file("site.json"), JSON.stringify(report, null, 2));
    watching.finished(report);
    return report;
  } finally {
    await connection.bus.close();
  }

  function identityIn(folder: string): Identity {
    const at = path(folder, "identity.json");
    const kept = readIfThere(at);
    if (kept) return identityOf((JSON.parse(kept.toString()) as { secret: string }).secret);
    const secret = newSecret(randomBytes);
    writeDurably(at, JSON.stringify({ secret }));
    return identityOf(secret);
  }

  async function resumed(text: Buffer): Promise<Joined> {
    const kept = readKept(text, file("joined.json"));
    if (options.code !== undefined) checkSameCode(out, options.code, kept);
    const moved = {
      ...kept,
      ...(options.at !== undefined && readAt(options.at)),
      ...authorities(kept.fingerprint, options.ca),
    };
    const { spec: given, ...address } = moved;
    const spec = checkSpec(given, out);
    const policy = stricter(kept.policy ?? {}, options.policy ?? {});
    checkTerms(spec, policy);
    const table = await readSiteData(data, spec, policy.leastRows);
    checkSameTable(data, table, kept.table);
    const now: Kept = { ...moved, policy, table: tableMark(table) };
    if (JSON.stringify(now) !== JSON.stringify(kept))
      writeDurably(file("joined.json"), sealed(JSON.stringify(now)));
    return { address, spec, identity: identityIn(out), table, policy };
  }

  /** What the data must be is asked first, and the code used up only once it fits. */
  async function first(): Promise<Joined> {
    const code = decodeCode(options.code!);
    const { secret: _, ...address } = { ...code, ...authorities(code.fingerprint, options.ca) };
    if (!existsSync(data)) throw new InputError(`there is no file ${data}.`);
    mkdirSync(out, { recursive: true, mode: 0o700 });
    const identity = identityIn(out);
    const policy = options.policy ?? {};
    const ca = address.ca;
    const { spec: looked, bus } = await joinWith(code, identity, { look: true, ca });
    checkTerms(looked, policy);
    const table = await readSiteData(data, looked, policy.leastRows);
    writeDurably(file("spec.json"), JSON.stringify(looked, null, 2));
    const terms = [
      ...termsOf(looked, policy, code.site, bus),
      `This site trains on ${table.rows} rows.`,
      ...table.notes,
      `The whole spec is in ${file("spec.json")}.`,
    ];
    if (options.consent && !(await options.consent(terms)))
      throw new PliantError("This site did not join; the code can still be used.");
    const told = await joinWith(code, identity, { ca });
    const { spec } = told;
    if (specHash(spec) !== specHash(looked) || told.bus !== bus)
      throw new InputError(
        "The coordinator gave another spec, or another server for messages, than was agreed to; this site stops.",
      );
    const kept: Kept = {
      ...address,
      bus,
      spec,
      policy,
      code: codeMark(options.code!),
      table: tableMark(table),
    };
    writeDurably(file("joined.json"), sealed(JSON.stringify(kept)));
    return { address: { ...address, bus }, spec, identity, table, policy };
  }
}
