// A whole federation in one process, over a bus in memory: a coordinator and a site for each table.
import type { ClientState, Pool } from "@pliant/federated";
import {
  type Blobs,
  type CoordinateOptions,
  type CoordinatorBus,
  coordinate,
  type FederationSpec,
  type Identity,
  identityOf,
  type Ledger,
  memoryBlobs,
  memoryBus,
  memoryLedger,
  newSecret,
  type Roster,
  type SiteDisk,
  type SiteStore,
  type SiteTable,
  takePart,
} from "@pliant/federation";
import { seededBytes } from "./seeded.js";

export interface Who {
  readonly name: string;
  readonly identity: Identity;
}

/** So many sites, a, b, c and so on. */
export const sitesOf = (count: number): Who[] =>
  Array.from({ length: count }, (_, i) => String.fromCharCode(97 + i)).map((name) => ({
    name,
    identity: identityOf(newSecret(seededBytes(name))),
  }));

export const rosterOf = (sites: readonly Who[]): Record<string, string> =>
  Object.fromEntries(sites.map(({ name, identity }) => [name, identity.key]));

/** A ledger on which all of them have joined. */
export async function ledgerWith(sites: readonly Who[]): Promise<Ledger> {
  const ledger = memoryLedger();
  for (const { name, identity } of sites) {
    await ledger.invite(name, name, Number.MAX_VALUE);
    await ledger.join(name, name, identity.key, 0);
  }
  return ledger;
}

/** A disk in memory, with all that was ever on it. */
export const storeOn = (disks: SiteDisk<ClientState>[]): SiteStore => ({
  load: () => disks.at(-1),
  save: (disk) => void disks.push(disk),
});

/** However slow the machine is, nobody is left out. */
const patience = { training: 250_000, answer: 250_000 };

interface Around extends Partial<Pick<CoordinateOptions, "ledger" | "patience" | "onCommitted">> {
  readonly blobs?: Blobs;
  /** What a site sees of them. */
  readonly siteBlobsOf?: (site: number) => Pick<Blobs, "get" | "put">;
  /** Sites that are excluded, and are not waited for at the end. */
  readonly leaves?: readonly string[];
  readonly stores?: readonly SiteStore[];
  /** The coordinator's end of the bus, as it is or looked at. */
  readonly coordinatorBus?: (bus: CoordinatorBus) => CoordinatorBus;
}

/** Until it is over, with what the coordinator said. */
export async function inProcess(
  spec: FederationSpec,
  tables: readonly (Pool | SiteTable)[],
  around: Around = {},
) {
  const { ledger = memoryLedger(), blobs = memoryBlobs(), coordinatorBus = (bus) => bus } = around;
  const bus = memoryBus();
  const who = sitesOf(tables.length);
  const roster = rosterOf(who);
  const takers: ((roster: Roster) => void)[] = [];
  const stop = new AbortController();
  const sites = who.map(({ name, identity }, i) =>
    takePart({
      run: "r",
      spec,
      site: name,
      identity,
      roster,
      data: tables[i],
      store: around.stores?.[i] ?? storeOn([]),
      bus: bus.site(name),
      blobs: around.siteBlobsOf?.(i) ?? blobs,
      onRoster: (take) => void takers.push(take),
      signal: stop.signal,
    }),
  );
  const said: string[] = [];
  const done = await coordinate({
    run: "r",
    spec,
    roster,
    ledger,
    blobs,
    bus: coordinatorBus(bus.coordinator),
    say: (what) => said.push(what),
    patience: around.patience ?? patience,
    onCommitted: around.onCommitted,
    onRoster: (next) => {
      for (const take of takers) take(next);
    },
  });
  const staying = who.flatMap(({ name }, i) => (around.leaves?.includes(name) ? [] : [sites[i]]));
  const took = await Promise.all(staying);
  stop.abort(new Error("it is over"));
  await Promise.allSettled(sites);
  return { ...done, said, ledger, blobs, sites: took };
}
