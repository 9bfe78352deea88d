// pliant federate join: a site over its folder, which holds its identity, its numbers, and whom it sums with.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join as path } from "node:path";
import { InputError } from "@pliant/core";
import type { Backend } from "@pliant/engine";
import type { ClientState, Pool } from "@pliant/federated";
import { z } from "zod";
import { decodeCode, embeddedSite, httpsBlobs, joinWith } from "../embedded/index.js";
import { natsSite } from "../nats/index.js";
import { decodePlain, encodePlain, readIfThere, writeDurably } from "../ports/index.js";
import { type Identity, identityOf, newSecret, type SiteDisk } from "../protocol/index.js";
import { type SiteStore, type TookPart, takePart } from "../run/index.js";
import { readSiteData } from "../spec/site-data.js";
import { checkSpec, type FederationSpec } from "../spec/spec.js";
import { watchSite } from "./watched.js";

/** Which site, with which data, and the folder that it goes on from. */
export interface JoinOptions {
  /** Of a new site; left out, the folder's goes on. */
  readonly code?: string;
  /** CSV, JSON lines or Parquet; a folder of images where the federation learns from them. */
  readonly data: string;
  /** Where it trains; `reference` unless given. */
  readonly backend?: Backend;
  readonly out: string;
  readonly say?: (what: string) => void;
  readonly onPhase?: (phase: string, exchange: number) => void;
  readonly signal?: AbortSignal;
}

/** A site's own numbers, with its name. */
export interface SiteReport extends TookPart {
  readonly site: string;
}

const joined = z.object({
  host: z.string(),
  port: z.number(),
  fingerprint: z.string(),
  run: z.string(),
  site: z.string(),
  /** Where sites meet, if not at the coordinator's own server. */
  bus: z.string().optional(),
  spec: z.unknown(),
});

interface Joined {
  readonly address: Omit<z.infer<typeof joined>, "spec">;
  readonly spec: FederationSpec;
  readonly identity: Identity;
  readonly pool: Pool;
}

/** Takes part until the federation is over. */
export async function join(options: JoinOptions): Promise<SiteReport> {
  const { out, data, say = () => {} } = options;
  const file = (name: string) => path(out, name);
  const known = readIfThere(file("joined.json"));
  if (options.code === undefined && !known)
    throw new InputError(`${out} has not joined a federation; give the join code.`);
  const { address, spec, identity, pool } = known ? await resumed(known) : await first();
  const { site, run, bus } = address;
  // One that was told that it is over, and has its report, has nothing more to do.
  const before = readIfThere(file("site.json"));
  if (before) return JSON.parse(before.toString()) as SiteReport;
  say(
    known
      ? `${site} goes on in ${spec.name} with ${pool.y.size} rows.`
      : `${site} has joined ${spec.name} with ${pool.y.size} rows; it begins when all sites have.`,
  );
  const connection =
    bus === undefined ? embeddedSite(address, site, identity) : natsSite(bus, address, site, identity);
  const stop = () => void connection.bus.close();
  options.signal?.addEventListener("abort", stop);
  if (options.signal?.aborted) stop();
  try {
    const roster = pinnedRoster(
      await connection.roster().catch((reason: unknown) => {
        options.signal?.throwIfAborted();
        throw reason;
      }),
    );
    if (!known) say(`All ${spec.sites.number} sites have joined.`);
    const store: SiteStore = {
      load: () => {
        const text = readIfThere(file("site-state.json"));
        return text && decodePlain<SiteDisk<ClientState>>(text.toString());
      },
      save: (disk) => writeDurably(file("site-state.json"), encodePlain(disk)),
    };
    const watching = watchSite(out, site, spec, pool, store.load());
    const took = await takePart({
      run,
      spec,
      site,
      identity,
      roster,
      data: pool,
      bus: connection.bus,
      blobs: httpsBlobs(address, site, identity),
      store,
      backend: options.backend,
      say,
      onPhase: (phase, exchange) => {
        watching.phase(phase);
        options.onPhase?.(phase, exchange);
      },
      onCounted: watching.counted,
      signal: options.signal,
    });
    const report = { site, ...took };
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
    const { spec, ...address } = joined.parse(JSON.parse(text.toString()));
    if (options.code !== undefined && decodeCode(options.code).run !== address.run)
      throw new InputError(`${out} has joined another federation; choose another --out for this one.`);
    const checked = checkSpec(spec, out);
    return { address, spec: checked, identity: identityIn(out), pool: await readSiteData(data, checked) };
  }

  /** What the data must be is asked first, and the code used up only once it fits. */
  async function first(): Promise<Joined> {
    const code = decodeCode(options.code!);
    const { secret: _, ...address } = code;
    if (!existsSync(data)) throw new InputError(`there is no file ${data}.`);
    mkdirSync(out, { recursive: true });
    const identity = identityIn(out);
    const pool = await readSiteData(data, (await joinWith(code, identity, { look: true })).spec);
    const { spec, bus } = await joinWith(code, identity);
    writeDurably(file("joined.json"), JSON.stringify({ ...address, bus, spec }));
    return { address: { ...address, bus }, spec, identity, pool };
  }

  /** Whom this site sums with is settled once. */
  function pinnedRoster(told: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const text = JSON.stringify(Object.entries(told));
    const kept = readIfThere(file("roster.json"))?.toString();
    if (kept === undefined) writeDurably(file("roster.json"), text);
    else if (kept !== text)
      throw new InputError(
        "The coordinator names other sites, or other identities, than before; this site stops.",
      );
    return told;
  }
}
