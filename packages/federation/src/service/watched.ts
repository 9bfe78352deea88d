// A federation as others watch it: run folders as every command leaves them, and federation.json, which says what happens now. The
// coordinator's has sums and counts; a site's has its own numbers, and is read where the site is.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reference } from "@pliant/engine";
import type { ClientState } from "@pliant/federated";
import { startRun } from "@pliant/learn/runs";
import { readIfThere } from "../ports/index.js";
import type { LedgerRow } from "../ports/ledger.js";
import type { SiteDisk } from "../protocol/index.js";
import { type Picture, type PrivacySpent, privacySpent, relaxationBins } from "../run/index.js";
import { exchangesOf, type FederationSpec, networkOptions, privacyOf } from "../spec/spec.js";
import { roundsAfter } from "../spec/stages.js";
import type { Measured, SiteTable } from "../tables/index.js";
import type { SiteReport } from "./join.js";
import type { FederationReport } from "./serve.js";

/** What a coordinator shows. */
export interface WatchedCoordinator {
  readonly role: "coordinator";
  readonly name: string;
  readonly requirement: string;
  readonly rounds: { readonly done: number; readonly of: number };
  readonly exchanges: { readonly done: number; readonly of: number };
  /** Nothing before all sites have joined. */
  readonly now: Picture | null;
  readonly meanLoss: number | null;
  readonly meanPrice: number;
  /** In the last sum. */
  readonly counted: { readonly sites: number; readonly of: number } | null;
  readonly relaxations: { readonly upTo: readonly number[]; readonly sites: readonly number[] } | null;
  readonly sites: readonly {
    readonly site: string;
    readonly joined: boolean;
    readonly counted: number;
    readonly lastCounted: number | null;
    /** Spent, where records are private. */
    readonly epsilon?: number;
  }[];
  /** Of a record of a site. */
  readonly privacy?: { readonly budget: number; readonly delta: number };
}

/** What a site shows to those who have its folder. */
export interface WatchedSite {
  readonly role: "site";
  readonly name: string;
  readonly site: string;
  readonly requirement: string;
  readonly rows: number;
  readonly classes: Readonly<Record<string, number>>;
  readonly phase: string;
  /** The last that counted it. */
  readonly exchanges: { readonly last: number | null; readonly of: number };
  readonly price: number;
  readonly relaxation: number;
  /** At the beginning of its last round; with noise where records are private. */
  readonly loss: number | null;
  /** What the final model comes to on its rows. */
  readonly final?: Omit<Measured, "rows"> & { readonly test?: Measured };
  readonly privacy?: PrivacySpent;
}

const requirementOf = ({ sites: { loss, cost } }: FederationSpec): string =>
  loss === undefined ? "none" : `loss at most ${loss}${cost === "hard" ? ", without giving way" : ""}`;

const exchangesIn = (spec: FederationSpec): number => exchangesOf(spec, networkOptions(spec, reference()));

/** On a full disk nobody is shown how it goes on; that it does is what matters. */
function unlessFull(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!/ENOSPC/.test((error as Error).message)) throw error;
  }
}

/** Whole or not at all; what is lost in a crash is said again. */
function show(out: string, watched: WatchedCoordinator | WatchedSite): void {
  const file = join(out, "federation.json");
  unlessFull(() => {
    rmSync(`${file}.part`, { force: true });
    writeFileSync(`${file}.part`, JSON.stringify(watched), { mode: 0o600, flag: "wx" });
    renameSync(`${file}.part`, file);
  });
}

/** What the coordinator of a folder showed last. */
export function watchedIn(out: string): WatchedCoordinator | undefined {
  const text = readIfThere(join(out, "federation.json"));
  return text && (JSON.parse(text.toString()) as WatchedCoordinator);
}

/** Told by a coordinator what is to be shown. */
export interface Watching {
  joined(sites: readonly { readonly site: string; readonly key: string | null }[]): void;
  committed(row: LedgerRow, histogram: readonly number[] | undefined): void;
  picture(now: Picture): void;
  finished(report: FederationReport): void;
}

/** Begins with what the ledger has. */
export function watchCoordinator(out: string, spec: FederationSpec, rows: readonly LedgerRow[]): Watching {
  const run = startRun(out, {
    command: "federate",
    name: spec.name,
    started: new Date().toISOString(),
    seed: spec.seed,
    settings: { rounds: spec.training.rounds, sites: spec.sites.number },
    spec,
  });
  const counts = new Map<string, { counted?: number; lastCounted?: number; epsilon?: number }>();
  let watched: WatchedCoordinator = {
    role: "coordinator",
    name: spec.name,
    requirement: requirementOf(spec),
    rounds: { done: 0, of: spec.training.rounds },
    exchanges: { done: 0, of: exchangesIn(spec) },
    now: null,
    meanLoss: null,
    meanPrice: 0,
    counted: null,
    relaxations: null,
    sites: [],
    ...(spec.privacy && { privacy: { budget: spec.privacy.epsilon, delta: spec.privacy.delta } }),
  };
  const change = (changed: Partial<WatchedCoordinator>) => {
    watched = { ...watched, ...changed };
    show(out, watched);
  };
  const take = (row: LedgerRow, histogram: readonly number[] | undefined, time?: string) => {
    const { survivors, shown, meanLoss, exchange, spent } = row;
    const known = (site: string, more: object) => counts.set(site, { ...counts.get(site), ...more });
    for (const site of survivors)
      known(site, { counted: (counts.get(site)?.counted ?? 0) + 1, lastCounted: exchange });
    for (const [site, epsilon] of Object.entries(spent ?? {})) known(site, { epsilon });
    const sites = { sites: survivors.length, of: spec.sites.number };
    const line = {
      step: shown.step,
      objective: meanLoss,
      meanPrice: shown.meanPrice,
      sites: survivors.length,
    };
    if (shown.exchange === 0) unlessFull(() => run.log({ ...(time !== undefined && { time }), ...line }));
    change({
      rounds: { ...watched.rounds, done: roundsAfter(spec, shown.step) },
      exchanges: { ...watched.exchanges, done: exchange + 1 },
      meanLoss,
      meanPrice: shown.meanPrice,
      counted: sites,
      ...(histogram && { relaxations: { upTo: relaxationBins, sites: histogram } }),
      sites: watched.sites.map((one) => ({ ...one, ...counts.get(one.site) })),
    });
  };
  for (const row of rows) take(row, undefined);
  show(out, watched);
  return {
    joined: (sites) =>
      change({
        sites: sites.map(({ site, key }) => ({
          site,
          joined: key !== null,
          counted: 0,
          lastCounted: null,
          ...counts.get(site),
        })),
      }),
    committed: (row, histogram) => take(row, histogram, new Date().toISOString()),
    picture: (now) => change({ now }),
    finished: (report) => run.finish(report),
  };
}

/** Told by a site what is to be shown. */
export interface WatchingSite {
  phase(phase: string): void;
  counted(disk: SiteDisk<ClientState>, exchange: number): void;
  finished(report: SiteReport): void;
}

/** Begins with what the site's disk has. */
export function watchSite(
  out: string,
  site: string,
  spec: FederationSpec,
  table: SiteTable,
  disk: SiteDisk<ClientState> | undefined,
): WatchingSite {
  const before = readIfThere(join(out, "metrics.jsonl"));
  const run = startRun(out, {
    command: "federate join",
    name: `${site} in ${spec.name}`,
    started: new Date().toISOString(),
    settings: { steps: exchangesIn(spec) },
  });
  if (before) unlessFull(() => writeFileSync(join(out, "metrics.jsonl"), before));
  const privacy = privacyOf(spec, table.rows);
  const labels = Array.from(table.encoded().train.labels);
  const numbers = (state: ClientState | undefined) => ({
    price: state?.price ?? 0,
    relaxation: state?.relaxation ?? 0,
    loss: state?.round?.loss ?? null,
  });
  let watched: WatchedSite = {
    role: "site",
    name: spec.name,
    site,
    requirement: requirementOf(spec),
    rows: table.rows,
    classes: Object.fromEntries(
      spec.data.classes.map((name, label) => [name, labels.filter((one) => one === label).length]),
    ),
    phase: "waiting",
    exchanges: { last: disk?.counted?.exchange ?? null, of: exchangesIn(spec) },
    ...numbers(disk?.state),
    ...(privacy && { privacy: privacySpent(privacy, disk) }),
  };
  const change = (changed: Partial<WatchedSite>) => {
    watched = { ...watched, ...changed };
    show(out, watched);
  };
  show(out, watched);
  return {
    phase: (phase) => {
      if (phase !== watched.phase) change({ phase });
    },
    counted: (disk, exchange) => {
      const { loss, ...own } = numbers(disk.state);
      const spent = privacySpent(privacy, disk);
      const time = new Date().toISOString();
      unlessFull(() =>
        run.log({
          time,
          step: exchange + 1,
          objective: loss,
          ...own,
          ...(spent && { epsilon: spent.epsilon }),
        }),
      );
      change({
        loss,
        ...own,
        ...(spent && { privacy: spent }),
        exchanges: { ...watched.exchanges, last: exchange },
      });
    },
    finished: (report) => {
      const { loss, accuracy, rmse, test } = report;
      if (loss !== undefined) change({ final: { loss, accuracy, rmse, ...(test && { test }) } });
      run.finish(report);
    },
  };
}
