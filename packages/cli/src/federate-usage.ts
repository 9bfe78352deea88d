// The subcommands of pliant federate in one line, for one who left something out.
import { InputError } from "@pliant/core";

export const usage =
  "pliant federate demo, simulate FILE, inspect FILE, schema INSPECTION… --target COLUMN, serve SPEC --out DIR, invite DIR --site NAME, join CODE-FILE --data FILE, remove DIR --site NAME, status DIR, or audit DIR";

export function only(positionals: readonly string[], what: string): string {
  if (positionals.length !== 1) throw new InputError(`one ${what} is needed: ${usage}.`);
  return positionals[0];
}
