/** A mistake of the user: one sentence that says what is wrong, where, and what was expected. */
export class PliantError extends Error {
  override readonly name: string = "PliantError";
}
