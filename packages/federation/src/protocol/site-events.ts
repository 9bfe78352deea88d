// What a site's machine is told, what it asks for, and what it is made of (site.ts).
import type { Privacy, Spent } from "@pliant/federated";
import type { Random, Revealed } from "../sums/index.js";
import type { Crypto } from "./crypto.js";
import type { DrawOptions } from "./draw.js";
import type { Identity } from "./identity.js";
import type { Counted, ShownMessage, ToCoordinator, ToSite } from "./messages.js";
import type { Roster } from "./transcript.js";
import type { Given } from "./uploads.js";

/** What a site must not lose. */
export interface SiteDisk<S> {
  /** Its numbers: price, relaxation, what its solver keeps. */
  readonly state: S;
  /** The last exchange it knows it was counted in. */
  readonly counted: Counted;
  /** What it becomes if its last attempt counted it. */
  readonly tentative: Tentative<S> | null;
  /** The last set of survivors that it agreed to, with the shares that open their sum. */
  readonly agreed: Agreed | null;
  /** The last sum that it helped to open. What was revealed is final: it helps no second sum of it, or of one before it. */
  readonly revealed: Position | null;
  /** The sums that it helped to open and that are opened once, by what they are of. */
  readonly once?: Readonly<Record<string, OpenedOnce>>;
  /** The hash of the scale that was agreed, once this site has computed with it. */
  readonly scale?: string;
  /** How all exchanges before one ended, as it was told last: by this an audit finds a ledger that is another, or lost its end. */
  readonly seen?: { readonly exchange: number; readonly past: string };
  /** The hash of the final model, once the run is over. */
  readonly finished: string | null;
  /** What it told of its records, and by which name the last of it goes. */
  readonly spent: { readonly all: Spent; readonly last: string } | null;
}

/** An exact sum: over whom, by their identities, and of which model. */
export interface OpenedOnce {
  readonly sites: Roster;
  readonly model: string;
}

/** The last attempt that a site uploaded in, until it is told how that ended. */
export interface Tentative<S> extends Position {
  readonly next: S;
  readonly statement: string;
  /** What it was shown: the model, and how all that came before ended. */
  readonly model: string;
  readonly past: string;
  /** The group that it was drawn into, of so many. */
  readonly group: number;
  readonly groups: number;
}

/** Where in a run a sum stands: by its count over the whole run, and by its round and place there. */
export interface Position {
  readonly exchange: number;
  readonly attempt: number;
  readonly step: number;
  readonly part: number;
}

/** An agreement, kept so that a site that was killed in between can still open the sum, and no other. */
export interface Agreed extends Position {
  readonly text: string;
  /** With their identities. */
  readonly survivors: Roster;
  /** What the sum is of, where it is opened once. */
  readonly once?: string;
  readonly model: string;
  /** Signatures that it takes. */
  readonly needed: number;
  readonly shares: Revealed;
}

/** What a site is told. */
export interface SiteOptions {
  readonly run: string;
  readonly site: string;
  /** Of this process. */
  readonly session: string;
  readonly identity: Identity;
  /** The hash of the spec that it agreed to. */
  readonly spec: string;
  /** The identities of all sites, pinned. */
  readonly roster: Roster;
  /** What no coordinate exceeds. */
  readonly bound: number;
  /** Sites it is willing to sum with, at the least, itself included. */
  readonly least: number;
  /** Who is asked in a round, and who sums together. */
  readonly draw?: DrawOptions;
  /** Whether sums are taken in the open. */
  readonly plain: boolean;
  readonly random: Random;
  readonly crypto?: Crypto;
  /** Of its records, where they are private. */
  readonly privacy?: Pick<Privacy, "epsilonAt" | "refusal">;
}

/** A round's work, done: what it gives, and what it becomes. */
export interface Prepared<S> extends Given {
  readonly next: S;
  /** What it is of, where it says the same each time: the sums with and without a site would tell that site's. */
  readonly once?: string;
  /** Whether it is exact: it is never taken in halves, since sums over many halves would tell what each site gave. */
  readonly whole?: boolean;
  /** The hash of the scale that it was computed with: what was agreed once stays. */
  readonly scale?: string;
  /** What it tells of records that are private. Whatever goes by one name is the same to the bit, and is told once. */
  readonly tells?: { readonly name: string; readonly spends: Spent };
}

/** What the machine is told. */
export type SiteEvent<S> =
  | { readonly kind: "message"; readonly message: ToSite }
  | { readonly kind: "connected" }
  /** Who takes part from the next attempt on. */
  | { readonly kind: "roster"; readonly roster: Roster }
  | { readonly kind: "trained"; readonly shown: string; readonly prepared: Prepared<S> | undefined }
  | { readonly kind: "failed"; readonly shown: string; readonly reason: string }
  | { readonly kind: "stored"; readonly exchange: number; readonly attempt: number; readonly upload: string };

/** To be carried out in order; a disk that cannot be written stops what comes after it. */
export type SiteEffect<S> =
  | { readonly kind: "send"; readonly message: ToCoordinator }
  | { readonly kind: "save"; readonly disk: SiteDisk<S> }
  | {
      readonly kind: "train";
      readonly state: S;
      readonly shown: ShownMessage;
      readonly hash: string;
      /** Over the whole run. */
      readonly exchange: number;
    }
  | { readonly kind: "upload"; readonly exchange: number; readonly attempt: number; readonly bytes: Buffer }
  | { readonly kind: "finished"; readonly model: string };

/** How far a site is in an attempt. */
export type SitePhase = "training" | "ready" | "shared" | "uploaded" | "agreed" | "revealed" | "refused";

/** A site between two events. */
export interface SiteMachine<S> {
  handle(event: SiteEvent<S>): SiteEffect<S>[];
  readonly disk: SiteDisk<S>;
  readonly phase: SitePhase | "idle" | "finished";
}

/** Of a site that has taken part in nothing yet. */
export const newDisk = <S>(state: S): SiteDisk<S> => ({
  state,
  counted: null,
  tentative: null,
  agreed: null,
  revealed: null,
  finished: null,
  spent: null,
});
