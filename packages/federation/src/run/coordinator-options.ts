// What a coordinator at work is given, and what a run came to (coordinator.ts).
import type { Backend } from "@pliant/engine";
import type { ServerState } from "@pliant/federated";
import type { Blobs } from "../ports/blobs.js";
import type { CoordinatorBus } from "../ports/bus.js";
import type { Ledger, LedgerRow } from "../ports/ledger.js";
import type { CoordinatorEffect, CoordinatorPhase, Patience, Roster } from "../protocol/index.js";
import type { FederationSpec } from "../spec/spec.js";
import type { Agreed } from "../spec/stages.js";
import type { Picture } from "./picture.js";

/** The run that is coordinated, and its ledger, blobs and bus. */
export interface CoordinateOptions {
  readonly run: string;
  readonly spec: FederationSpec;
  /** Who takes part at first; the ledger says so from then on. */
  readonly roster: Roster;
  /** Whenever a site is off the roster, or others are on it. */
  readonly onRoster?: (roster: Roster) => void;
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  readonly bus: CoordinatorBus;
  readonly backend?: Backend;
  /** In ms. */
  readonly patience?: Partial<Patience>;
  readonly say?: (what: string) => void;
  /** With how many sites give way how far, where that is summed. */
  readonly onCommitted?: (row: LedgerRow, histogram: readonly number[] | undefined) => void;
  /** Attempts that came to nothing, rounds that were given up, sites that were excluded. */
  readonly onFault?: (fault: CoordinatorEffect & { kind: "aborted" | "void" | "remove" }) => void;
  /** Whenever what it does, or whom it waits for, has changed. */
  readonly onPicture?: (picture: Picture) => void;
  /** Sites that are connected now, where that is known. */
  readonly connected?: () => readonly string[];
  /** In which phase the coordinator is, after each event and before what follows from it. */
  readonly onPhase?: (phase: CoordinatorPhase, exchange: number) => void;
  /** Set to what a site may upload now: how many bytes; nothing where nobody asked it to. */
  readonly admission?: {
    expects(site: string): { readonly bytes: number; readonly attempt: string } | undefined;
    reads(hash: string): boolean;
  };
  readonly signal?: AbortSignal;
}

/** What a run came to. */
export interface Coordinated {
  readonly state: ServerState;
  /** What sites were told beside the model, where the run has other steps than rounds. */
  readonly agreed?: Agreed;
  readonly rows: readonly LedgerRow[];
  /** Why it is over before its time, if so. */
  readonly ended: string | undefined;
  /** Sites that take part no more. */
  readonly left: readonly string[];
  /** Sites that know that it is over. */
  readonly told: readonly string[];
}
