// Which error means which exit code. Loaded once something has failed.
import { InputError, NetworkError, PliantError } from "@pliant/core";
import { EngineError } from "@pliant/engine";
import { Interrupted, workFailed } from "@pliant/learn/runs";
import { exitCodes } from "./exit-codes.js";
import { installCommand, missingPart } from "./optional.js";

export interface Failure {
  readonly kind: "usage" | "failed" | "network" | "interrupted";
  readonly exit: number;
  /** One sentence; of an error nobody foresaw, its stack. */
  readonly message: string;
}

/** What an error means for the person who started the command. */
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

/** Records in the runs of this process why they are unfinished; one that was interrupted did not fail. */
export function keepCause(error: Error): void {
  if (!(error instanceof Interrupted)) workFailed(error.message);
}
