// Maps errors to exit codes. Loaded only after a failure.
import { InputError, NetworkError, PliantError } from "@pliant/core";
import { EngineError } from "@pliant/engine";
import { Interrupted, workFailed } from "@pliant/learn/runs";
import { exitCodes } from "./exit-codes.js";
import { installCommand, missingPart } from "./optional.js";

export interface Failure {
  readonly kind: "usage" | "failed" | "network" | "interrupted";
  readonly exit: number;
  /** One sentence, or the stack of an unexpected error. */
  readonly message: string;
}

/** The exit code and message for an error. */
export function failureOf(error: Error): Failure {
  const as = (kind: Failure["kind"], message = error.message): Failure => ({
    kind,
    exit: exitCodes[kind],
    message,
  });
  const part = missingPart(error);
  if (part) return as("usage", `this needs packages that are not installed; run ${installCommand(part)}.`);
  if (error instanceof InputError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS"))
    return as("usage");
  if (error instanceof NetworkError) return as("network");
  if (error instanceof Interrupted && error.reason === "signal") return as("interrupted");
  if (error instanceof PliantError || error instanceof EngineError) return as("failed");
  return as("failed", error.stack ?? error.message);
}

/** Records the error in the unfinished runs of this process, unless they were interrupted. */
export function keepCause(error: Error): void {
  if (!(error instanceof Interrupted)) workFailed(error.message);
}
