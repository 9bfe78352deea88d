// All that a run is, as plain data: what a checkpoint saves and a resumed run goes on from, to the same bits.
import { array, leaves, mapTree, NdArray, type Stored } from "@pliant/engine";
import type { Pace } from "../dual-rates/dual-step-size.js";
import { isNoisy } from "../dual-rates/minibatch-noise.js";
import { StateError } from "../errors.js";

/** All that a step changes, as plain data: saved and loaded, a run goes on to the same numbers. */
export interface SolverState<T = NdArray> {
  readonly params: unknown;
  readonly optimizer: unknown;
  /** One vector a group of requirements. */
  readonly relaxations: readonly T[];
  readonly prices: readonly T[];
  readonly pace: Pace<T>;
  /** What an algorithm of several inner steps has gathered; empty elsewhere. */
  readonly inner: unknown;
  readonly step: number;
}

/** A state that may lie on a device. */
export type StoredState = SolverState<Stored>;

/** Brought to the host. */
export async function readState({ step, ...state }: StoredState): Promise<SolverState> {
  const list = await Promise.all(leaves(state).map(({ leaf }) => (leaf as Stored).read()));
  let next = 0;
  return { ...(mapTree(state, () => list[next++]) as unknown as Omit<SolverState, "step">), step };
}

/** Neither an array nor an instance of a class, as what lies on a device is. */
function isPlain(part: unknown): part is object {
  if (typeof part !== "object" || part === null) return false;
  const prototype = Object.getPrototypeOf(part);
  return prototype === Object.prototype || prototype === null;
}

/** As structuredClone, v8.serialize or JSON bring it back: arrays are plain objects there, and in JSON their numbers are too. */
function revived(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(revived);
  if (!isPlain(part)) return part;
  const { data, shape, dtype, ...others } = part as Partial<NdArray>;
  const isArray = data && Array.isArray(shape) && dtype && Object.keys(others).length === 0;
  if (!isArray) return Object.fromEntries(Object.entries(part).map(([name, own]) => [name, revived(own)]));
  if (ArrayBuffer.isView(data)) return new NdArray(data, shape, dtype);
  const numbers: unknown[] = Object.values(data);
  // What is no number is null in JSON; nothing is made of it.
  if (!numbers.every(Number.isFinite)) return part;
  return new NdArray(array(numbers as number[], { dtype }).data, shape, dtype);
}

/** Between steps on all rows and on parts of them all goes on but what is known of noise: it is left behind, or begins here. */
function amongRowsOf(given: SolverState, { pace }: SolverState): SolverState {
  const noise = given?.pace?.noise;
  if (noise === undefined || isNoisy(noise) === isNoisy(pace.noise)) return given;
  return { ...given, pace: { ...given.pace, noise: pace.noise, observed: pace.observed } };
}

const isVectors = (part: unknown): part is readonly NdArray[] =>
  Array.isArray(part) && part.length > 0 && part.every((x) => x instanceof NdArray && x.shape.length === 1);

/**
 * Vectors, one a group of requirements, in the groups of another: requirements of one number each that have the same cost lie in one
 * vector, and with other costs in several, in the same order.
 */
function asGrouped(given: unknown, like: unknown): unknown {
  if (isVectors(given) && isVectors(like)) {
    const numbers = given.flatMap(({ data }) => Array.from(data as ArrayLike<number>));
    const needed = like.reduce((sum, { data }) => sum + data.length, 0);
    if (given.length === like.length || numbers.length !== needed) return given;
    let from = 0;
    return like.map(({ data: { length }, dtype }) => {
      from += length;
      return array(numbers.slice(from - length, from), { dtype });
    });
  }
  if (!isPlain(given)) return given;
  const own = (like ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(given).map(([name, part]) => [name, asGrouped(part, own[name])]));
}

/** What steps know of requirements, in the groups of this problem: costs may be others than those of the state. */
function groupedLike(given: SolverState, like: SolverState): SolverState {
  if (typeof given !== "object" || given === null) return given;
  const { relaxations, prices, pace, inner } = given;
  return { ...given, ...(asGrouped({ relaxations, prices, pace, inner }, like) as object) };
}

/** The state, brought back from where it was saved; one of another problem, another optimiser or an earlier version is refused. */
export function checkState(saved: SolverState, like: SolverState): SolverState {
  const given = groupedLike(amongRowsOf(revived(saved) as SolverState, like), like);
  const refuse = (what: string): never => {
    throw new StateError(`The given state does not fit this problem: ${what}.`);
  };
  if (typeof given !== "object" || given === null || !Number.isSafeInteger(given.step) || given.step < 0)
    refuse("it is not the state of a solution");
  // What a reader would look at first.
  const shapes = ({
    params,
    prices,
    relaxations,
    optimizer,
    inner,
    pace,
  }: SolverState): Map<string, string> =>
    new Map(
      [{ params }, { prices }, { relaxations }, { optimizer }, { inner }, { pace }]
        .flatMap((part) => leaves(part))
        .map(({ path, leaf }) => {
          const { dtype, shape } = (leaf ?? {}) as Partial<Stored>;
          return [path.slice(1), shape ? `${dtype} [${shape.join(", ")}]` : String(leaf)];
        }),
    );
  const [theirs, ours] = [shapes(given), shapes(like)];
  const of = (path: string): string =>
    path.startsWith("optimizer")
      ? "of another optimiser"
      : /^(prices|relaxations|pace)/.test(path)
        ? "of other requirements"
        : path.startsWith("inner")
          ? "of another algorithm"
          : "of other parameters";
  for (const [path, aval] of ours) {
    const found = theirs.get(path);
    if (found === undefined) refuse(`it is ${of(path)}: it has no ${path}`);
    if (found !== aval) refuse(`it is ${of(path)}: ${path} is ${found} where ${aval} is needed`);
  }
  for (const path of theirs.keys())
    if (!ours.has(path)) refuse(`it is ${of(path)}: it has ${path}, which this problem does not have`);
  return given;
}
