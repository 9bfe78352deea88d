// What the coordinator's machine is told, what it asks for, and what it is made of (coordinator.ts).
import type { Revealed, Settled } from "../sums/index.js";
import type { Crypto } from "./crypto.js";
import type { Counted, ShownMessage, ToCoordinator, ToSite } from "./messages.js";

/** What the coordinator must not lose. */
export interface LedgerState {
  /** Exchanges done. */
  readonly exchange: number;
  /** Attempts begun at the exchange to come. */
  readonly attempts: number;
  readonly counted: Readonly<Record<string, Counted>>;
  /** What sites are shown next. */
  readonly shown: ShownMessage;
  /** Why it is over before its time, if so. */
  readonly ended?: string;
  /** Sites that take part no more. */
  readonly left?: readonly string[];
}

/** What a coordinator is told. */
export interface CoordinatorOptions {
  readonly run: string;
  /** Sites and their identities, in the order of the clients. */
  readonly roster: Readonly<Record<string, string>>;
  /** Exchanges in all. */
  readonly exchanges: number;
  /** Sites in a sum, at the least. */
  readonly least: number;
  /** What no coordinate is expected to exceed. */
  readonly bound: number;
  /** Whether sums are taken in the open. */
  readonly plain: boolean;
  /** How long it waits for sites to train, and for each answer after that; and after how long it asks again. In ms. */
  readonly patience: { readonly training: number; readonly answer: number; readonly again: number };
  readonly crypto?: Crypto;
}

/** What is needed to add up an attempt. */
export interface Addends extends Omit<Settled, "context"> {
  readonly exchange: number;
  readonly attempt: number;
  readonly bound: number;
  readonly context: string;
  /** Hashes of uploads by site, in the order of the clients. */
  readonly uploads: ReadonlyMap<string, string>;
  readonly reveals: ReadonlyMap<string, Revealed>;
  /** ε by site, as each said. */
  readonly spent: ReadonlyMap<string, number>;
  /** How many sites have not left. */
  readonly present: number;
}

/** What the machine is told. */
export type CoordinatorEvent =
  | { readonly kind: "start"; readonly now: number }
  | { readonly kind: "tick"; readonly now: number }
  | { readonly kind: "message"; readonly from: string; readonly message: ToCoordinator; readonly now: number }
  /** The sum was taken, and the row written. */
  | { readonly kind: "committed"; readonly ledger: LedgerState; readonly now: number }
  | { readonly kind: "saturated"; readonly now: number }
  | { readonly kind: "failed"; readonly reason: string; readonly now: number };

/** What the machine asks to be done, in order. */
export type CoordinatorEffect =
  | { readonly kind: "send"; readonly to: string; readonly message: ToSite }
  /** Written before anything of the attempt is sent. */
  | { readonly kind: "open"; readonly exchange: number; readonly attempt: number }
  /** Add up and write the row of the exchange; answered by committed, saturated or failed. */
  | { readonly kind: "absorb"; readonly addends: Addends }
  | { readonly kind: "say"; readonly what: string }
  /** Written before anything that follows from it. */
  | { readonly kind: "left"; readonly sites: readonly string[] }
  /** Written before any site hears that it is over. */
  | { readonly kind: "end"; readonly why: string }
  | { readonly kind: "finished" };

/** What an attempt is waiting for. */
export type CoordinatorPhase =
  | "gathering"
  | "dealing"
  | "uploading"
  | "agreeing"
  | "revealing"
  | "absorbing"
  | "finished";

/** The coordinator between two events. */
export interface CoordinatorMachine {
  handle(event: CoordinatorEvent): CoordinatorEffect[];
  readonly phase: CoordinatorPhase;
  /** Whom it waits for. */
  readonly waiting: readonly string[];
  /** Who is not in this attempt any more, and why. */
  readonly gone: ReadonlyMap<string, string>;
  /** Who takes part no more. */
  readonly left: ReadonlySet<string>;
  readonly ledger: LedgerState;
}
