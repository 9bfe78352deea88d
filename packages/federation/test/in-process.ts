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
  memoryBlobs,
  memoryBus,
  memoryLedger,
  newSecret,
  type SiteDisk,
  type SiteStore,
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

/** A disk in memory, with all that was ever on it. */
export const storeOn = (disks: SiteDisk<ClientState>[]): SiteStore => ({
  load: () => disks.at(-1),
  save: (disk) => void disks.push(disk),
});

/** However slow the machine is, nobody is left out. */
const patience = { training: 250_000, answer: 250_000 };

interface Around extends Partial<Pick<CoordinateOptions, "ledger" | "patience" | "onCommitted">> {
  readonly blobs?: Blobs;
  /** What the sites see of them. */
  readonly siteBlobs?: Pick<Blobs, "get" | "put">;
  readonly stores?: readonly SiteStore[];
  /** The coordinator's end of the bus, as it is or looked at. */
  readonly coordinatorBus?: (bus: CoordinatorBus) => CoordinatorBus;
}

/** Until it is over, with what the coordinator said. */
export async function inProcess(spec: FederationSpec, tables: readonly Pool[], around: Around = {}) {
  const { ledger = memoryLedger(), blobs = memoryBlobs(), coordinatorBus = (bus) => bus } = around;
  const bus = memoryBus();
  const who = sitesOf(tables.length);
  const roster = rosterOf(who);
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
      blobs: around.siteBlobs ?? blobs,
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
  });
  return { ...done, said, ledger, blobs, sites: await Promise.all(sites) };
}
