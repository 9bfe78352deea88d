// A request the command cannot carry out as it was written.
export class UsageError extends Error {
  override readonly name = "UsageError";
}
