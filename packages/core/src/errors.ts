// Mistakes, each one sentence that says what is wrong, where, and what was expected.

/** What Pliant cannot do, or could not go on with. */
export class PliantError extends Error {
  override readonly name: string = "PliantError";
}

/** Something a person gave is wrong: a file, an option, a name. Commands exit with 2. */
export class InputError extends PliantError {
  override readonly name: string = "InputError";
}

/** Another machine did not answer, or refused. Commands exit with 4. */
export class NetworkError extends PliantError {
  override readonly name: string = "NetworkError";
}

/** A state to go on from that is of another problem, another optimiser or another version. */
export class StateError extends InputError {
  override readonly name: string = "StateError";
}

export function positive(name: string, value: number): number {
  if (value > 0 && Number.isFinite(value)) return value;
  throw new PliantError(`${name} must be a positive number, got ${value}.`);
}

export function wholeNumber(name: string, value: number, from = 1): number {
  if (Number.isInteger(value) && value >= from) return value;
  throw new PliantError(`${name} must be a whole number from ${from}, got ${value}.`);
}

/** Why a file cannot be read, from the error that reading it threw. */
export function unreadable(path: string, reason: unknown): InputError {
  const { code, message } = reason as Error & { code?: string };
  if (code === "ENOENT") return new InputError(`there is no file ${path}.`);
  if (code === "EISDIR") return new InputError(`${path} is a folder, and a file was expected.`);
  if (code === "EACCES" || code === "EPERM")
    return new InputError(`${path} cannot be read: permission denied.`);
  return new InputError(`${path} cannot be read: ${message}.`);
}

/** `"rotaed-90" is not a variant; did you mean "rotated-90"? Choose from: …` */
export const unknownName = (kind: string, given: string, known: readonly string[]): InputError =>
  new InputError(`"${given}" is not ${kind}${hint(given, known)}`);

/** The end of a sentence about a name that is not known: `; did you mean "rotated-90"? Choose from: …` */
export const hint = (given: string, known: readonly string[]): string =>
  `${didYouMean(given, known)} Choose from: ${known.join(", ")}.`;

/** `; did you mean "income" or "outcome"?`, or a full stop where nothing is near. */
export function didYouMean(
  given: string,
  known: readonly string[],
  shown = (name: string): string => `"${name}"`,
): string {
  const near = nearest(given, known);
  return near.length > 0 ? `; did you mean ${near.map(shown).join(" or ")}?` : ".";
}

/** What other libraries call things, without case and signs between words. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  rate: ["lr", "learningrate", "stepsize"],
  decay: ["weightdecay", "l2", "regularization", "regularisation"],
  epsilon: ["eps"],
  betas: ["beta", "beta1", "beta2"],
  steps: ["iterations", "iters", "maxiter", "nsteps", "epochs", "maxsteps"],
  tolerance: ["tol", "atol", "rtol", "ftol"],
  batch: ["batchsize"],
  backend: ["device"],
  optimizer: ["optim", "solver"],
  onProgress: ["callback", "onstep", "progress"],
  seed: ["randomstate", "rng"],
  dualRate: ["duallr", "duallearningrate"],
};

/**
 * The known names nearest to one that is not: the one that means the same elsewhere; the fewest letters put in, left out, changed or
 * exchanged, at most a third; failing that, the names it may be short for.
 */
export function nearest(given: string, known: readonly string[]): string[] {
  const plain = given.toLowerCase().replace(/[^a-z0-9]/g, "");
  const same = known.filter((name) => Object.hasOwn(elsewhere, name) && elsewhere[name].includes(plain));
  if (same.length > 0) return same;
  const distances = known.map((name) => editDistance(given.toLowerCase(), name.toLowerCase()));
  const least = Math.min(...distances);
  const close = (i: number): boolean =>
    distances[i] === least && least <= Math.max(1, Math.max(given.length, known[i].length) / 3);
  const near = known.filter((_, i) => close(i));
  if (near.length > 0 || given.length < 2) return near;
  return known.filter((name) => within(given.toLowerCase(), name.toLowerCase()));
}

/** Whether the letters of one stand in the other in the same order. */
function within(part: string, whole: string): boolean {
  let at = 0;
  for (const letter of whole) if (letter === part[at]) at++;
  return at === part.length;
}

function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const [above, row] = [rows[i - 1], [i]];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + Number(a[i - 1] !== b[j - 1]));
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (exchanged) row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
    }
    rows.push(row);
  }
  return rows[a.length][b.length];
}
