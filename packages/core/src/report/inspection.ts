// What an evaluation of a state on all data found: what reports and diagnoses are made of.
import type { NdArray, Stored } from "@pliant/engine";
import type { Certificate, Errors } from "../certificate/certificate.js";
import type { KktStep } from "../certificate/newton-kkt.js";
import type { Terms } from "../layout/constraint-layout.js";

/** What was seen of a state; vectors have one entry an element, one vector a group. */
export interface Inspection {
  readonly certificate: Certificate;
  /** Error estimates, where the certificate's check was made. */
  readonly errors?: Errors;
  /** Elements whose prices are determined only together. */
  readonly undetermined: readonly (readonly number[])[];
  /** The Newton step of the check. */
  readonly newton?: KktStep;
  /** Parameters at which the augmented Lagrangian is lower, where this point is a saddle or a hilltop. */
  readonly lower?: unknown;
  readonly objective: number;
  /** The slack of the loss, and of what prices follow. */
  readonly slacks: readonly NdArray[];
  readonly priced: readonly NdArray[];
  /** The smallest change that what prices follow can show here. */
  readonly resolutions: readonly NdArray[];
  readonly strict: Readonly<Record<string, NdArray>>;
}

/** The part of a solver's state that a report reads. */
export interface Reached {
  readonly params: unknown;
  readonly relaxations: readonly NdArray[];
  readonly prices: readonly NdArray[];
  readonly step: number;
}

/** A state, the terms that it was inspected in, and what was found. */
export interface Inspected {
  readonly state: Reached;
  readonly terms: Terms<Stored>;
  readonly seen: Inspection;
}
