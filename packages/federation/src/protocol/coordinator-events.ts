// What the coordinator's machine is told, what it asks for, and what it is made of (coordinator.ts).
import type { Revealed } from "../sums/index.js";
import type { Crypto } from "./crypto.js";
import type { DrawOptions } from "./draw.js";
import type { Counted, ShownMessage, SignedMember, ToCoordinator, ToSite } from "./messages.js";
import type { SettledGroup } from "./opened.js";
import type { Outcome } from "./past.js";
import type { Roster } from "./transcript.js";

/** What the coordinator must not lose. */
export interface LedgerState {
  /** Exchanges done. */
  readonly exchange: number;
  /** Attempts begun at the exchange to come. */
  readonly attempts: number;
  readonly counted: Readonly<Record<string, Counted>>;
  /** How each exchange ended. */
  readonly outcomes: readonly Outcome[];
  /** What sites are shown next. */
  readonly shown: ShownMessage;
  /** Rounds that were given up, because the sum of one of their exchanges failed. */
  readonly voids: number;
  /** One of these made sums fail. */
  readonly suspects: readonly string[];
  /** The attempt at the exchange to come that sites may have revealed: it is finished, or given up with its round. */
  readonly settled?: SettledAttempt;
  /** Why it is over before its time, if so. */
  readonly ended?: string;
  /** Sites that take part no more. */
  readonly left?: readonly string[];
}

/** An attempt whose survivors are agreed on: all that is needed to open its sum, besides shares. Plain data. */
export interface SettledAttempt {
  readonly exchange: number;
  readonly attempt: number;
  readonly statement: string;
  /** Where the sum is taken in parts. */
  readonly suspects?: readonly string[];
  readonly roster: Roster;
  readonly groups: readonly {
    readonly members: readonly SignedMember[];
    readonly survivors: readonly string[];
    readonly context: string;
    /** Of the shares that open it, by dealer and holder. */
    readonly marks: readonly (readonly [
      of: string,
      by: readonly (readonly [holder: string, mark: string])[],
    ])[];
  }[];
  /** In the order of the clients, with the hashes of their uploads. */
  readonly uploads: readonly (readonly [site: string, hash: string])[];
  readonly agrees: readonly (readonly [site: string, signature: string])[];
  readonly spent: readonly (readonly [site: string, epsilon: number])[];
  readonly present: number;
  /** Shares, once there are enough. */
  readonly reveals?: readonly (readonly [site: string, shares: Revealed])[];
}

/** How long the coordinator waits, in ms. */
export interface Patience {
  /** For sites to train, and for the shares of a sum that may be revealed. */
  readonly training: number;
  /** For each answer after that. */
  readonly answer: number;
  /** Until it asks again. */
  readonly again: number;
  /** For a site that is not connected to come back, at most; after that nobody waits for it. */
  readonly away: number;
}

/** What a coordinator is told. */
export interface CoordinatorOptions {
  readonly run: string;
  /** The hash of the spec. */
  readonly spec: string;
  readonly roster: Roster;
  /** Rounds in all. */
  readonly rounds: number;
  /** Sites in a sum, at the least. */
  readonly least: number;
  /** Who is asked in a round, and who sums together. */
  readonly draw?: DrawOptions;
  /** Sums that are exact are never taken in parts; some of them are opened once. Steps do not count those that were given up. */
  readonly exact?: (steps: number, part: number) => "once" | "whole" | undefined;
  /** Whether sums are taken in the open. */
  readonly plain: boolean;
  readonly patience: Patience;
  readonly crypto?: Crypto;
}

/** What is needed to add up an attempt. */
export interface Addends {
  readonly exchange: number;
  readonly attempt: number;
  readonly statement: string;
  readonly roster: Roster;
  /** Each with a sum of its own. */
  readonly groups: readonly SettledGroup[];
  /** Of all groups. */
  readonly survivors: ReadonlySet<string>;
  /** Hashes of uploads by site, in the order of the clients. */
  readonly uploads: ReadonlyMap<string, string>;
  readonly reveals: ReadonlyMap<string, Revealed>;
  /** Signatures of those who agreed to the survivors. */
  readonly agrees: ReadonlyMap<string, string>;
  /** ε by site, as each said. */
  readonly spent: ReadonlyMap<string, number>;
  /** How many sites have not left. */
  readonly present: number;
  /** How the exchange ends. */
  readonly outcome: Outcome;
  /** Sites whose floors could not be met, and why. */
  readonly without: ReadonlyMap<string, string>;
}

/** What the machine is told. */
export type CoordinatorEvent =
  | { readonly kind: "start"; readonly now: number }
  /** Sites that are connected, where that is known. */
  | { readonly kind: "tick"; readonly now: number; readonly connected?: readonly string[] }
  | { readonly kind: "message"; readonly from: string; readonly message: ToCoordinator; readonly now: number }
  /** Who takes part from now on. */
  | { readonly kind: "roster"; readonly roster: Roster; readonly now: number }
  /** A site sent what no honest one sends. */
  | { readonly kind: "blamed"; readonly site: string; readonly reason: string; readonly now: number }
  /** The sum was taken or given up, and the row written. */
  | { readonly kind: "committed"; readonly ledger: LedgerState; readonly now: number }
  /** Each of these sets has a site that is at fault; one of all in the sum, unless given. */
  | {
      readonly kind: "failed";
      readonly reason: string;
      readonly failed?: readonly ReadonlySet<string>[];
      readonly now: number;
    };

/** What the machine asks to be done, in order. */
export type CoordinatorEffect =
  | { readonly kind: "send"; readonly to: string; readonly message: ToSite }
  /** Written before anything of the attempt is sent. */
  | { readonly kind: "open"; readonly exchange: number; readonly attempt: number }
  /** Written before any site is asked to reveal. */
  | { readonly kind: "settle"; readonly settled: SettledAttempt }
  /** Add up and write the row of the exchange; answered by committed or failed. */
  | { readonly kind: "absorb"; readonly addends: Addends }
  /** Give the round up and write so; answered by committed. */
  | {
      readonly kind: "void";
      readonly exchange: number;
      readonly attempt: number;
      readonly reason: string;
      readonly suspects: readonly string[];
      /** How the exchange ends. */
      readonly outcome: Outcome;
    }
  | { readonly kind: "say"; readonly what: string }
  /** An attempt came to nothing, in this phase. */
  | { readonly kind: "aborted"; readonly attempt: number; readonly phase: string; readonly reason: string }
  /** A site is off the roster from now on; written before anything that follows from it. */
  | { readonly kind: "remove"; readonly site: string; readonly reason: string }
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
  waitsFor(site: string): boolean;
  /** Whom it asked to take part in this attempt. */
  readonly asked: readonly string[];
  /** Who is not in this attempt any more, and why. */
  readonly gone: ReadonlyMap<string, string>;
  /** Who takes part no more. */
  readonly left: ReadonlySet<string>;
  /** Parts of the sum of this attempt. */
  readonly parts: number;
  readonly roster: Roster;
  readonly ledger: LedgerState;
}
