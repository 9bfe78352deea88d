// Who takes part in what, and what a site has at the end.
import type { Backend } from "@pliant/engine";
import { type ClientState, nothingSpent, type Pool, type Privacy } from "@pliant/federated";
import type { Params } from "@pliant/learn";
import type { Blobs } from "../ports/blobs.js";
import type { SiteBus } from "../ports/bus.js";
import type { Identity, Roster, SiteDisk } from "../protocol/index.js";
import type { FederationSpec } from "../spec/spec.js";
import type { Agreed } from "../spec/stages.js";
import type { Measured, MeasuredParts } from "../tables/evaluation.js";
import type { SiteTable } from "../tables/site-table.js";

/** Where a site keeps what it must not lose. */
export interface SiteStore {
  load(): SiteDisk<ClientState> | undefined;
  save(disk: SiteDisk<ClientState>): void | Promise<void>;
}

/** Who takes part in what, with which data, and where it keeps its numbers. */
export interface TakePartOptions {
  readonly run: string;
  readonly spec: FederationSpec;
  readonly site: string;
  readonly identity: Identity;
  readonly roster: Roster;
  /** Its number among all that ever joined, from 0; its place on the roster unless given. */
  readonly index?: number;
  /** Sites that it sums with at the least, whatever the spec says. */
  readonly least?: number;
  /** Hands over each roster that comes later, and that this site agrees to. */
  readonly onRoster?: (take: (roster: Roster) => void) => void;
  /** Its table, or rows that are encoded already. */
  readonly data: SiteTable | Pool;
  readonly store: SiteStore;
  readonly bus: SiteBus;
  readonly blobs: Pick<Blobs, "get" | "put">;
  readonly backend?: Backend;
  readonly say?: (what: string) => void;
  /** In which phase the site is, whenever it changes. */
  readonly onPhase?: (phase: string, exchange: number) => void;
  /** The final model, once the site has it. */
  readonly onModel?: (params: Params, agreed: Agreed | undefined) => void;
  /** Its numbers, whenever it was counted. */
  readonly onCounted?: (disk: SiteDisk<ClientState>, exchange: number) => void;
  readonly signal?: AbortSignal;
}

/** A site's own numbers at the end. */
export interface TookPart {
  readonly price: number;
  readonly relaxation: number;
  /**
   * The price that its final loss and the last mean loss ask for, α·(f_c − f̄ − ε)₊: as far as the two differ the run has not
   * settled. Not where requirements must not give way.
   */
  readonly impliedPrice?: number;
  /** What its last price went by: its loss at the beginning of its last round, clipped and noised where records are private. */
  readonly lossBefore: number | undefined;
  /** Of the final model, on its training rows; left out if the coordinator was gone before the site had read it. */
  readonly loss?: number;
  readonly accuracy?: number;
  /** In the unit of the label, where that is a number. */
  readonly rmse?: number;
  /** On the rows that it holds out. */
  readonly test?: Measured;
  /** Of its own head, trained from the final model on its own rows. */
  readonly personalised?: MeasuredParts;
  /** The hash of the final model. */
  readonly model: string;
  /** Of its records, where they are private. */
  readonly privacy?: PrivacySpent;
}

/** What a site's records were promised, and what of it is spent. */
export interface PrivacySpent {
  readonly epsilon: number;
  readonly budget: number;
  readonly delta: number;
  readonly unit: "a record of this site";
}

/** Nothing where records are not private. */
export function privacySpent(
  privacy: Privacy | undefined,
  disk: SiteDisk<ClientState> | undefined,
): PrivacySpent | undefined {
  return (
    privacy && {
      epsilon: privacy.epsilonAt(disk?.spent?.all ?? nothingSpent),
      budget: privacy.epsilon,
      delta: privacy.delta,
      unit: "a record of this site",
    }
  );
}
