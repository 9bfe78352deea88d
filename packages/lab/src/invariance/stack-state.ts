// Splits the state of a stack into those of its runs and joins them again: a run is saved and resumed by itself.
import { mapTree, NdArray } from "@pliant/engine";
import type { TrainingState } from "./training.js";

type State = TrainingState<NdArray>;

/** The state of each run of a stack, kind by kind; shared parts (step counters) are repeated. */
export function splitState(state: State, kinds: number): State[] {
  const [{ weight }] = state.params.model;
  const runs = weight.shape[0];
  const places = runs / kinds;
  return Array.from({ length: runs }, (_, i) => {
    const own = <T>(tree: T): T => mapTree(tree, (leaf: NdArray) => entry(leaf, i)) as T;
    const group = (groups: readonly NdArray[]): NdArray[] =>
      groups.length === 0 ? [] : [entry(groups[Math.floor(i / places)], i % places)];
    return {
      params: own(state.params),
      optimizer: own(state.optimizer),
      relaxations: group(state.relaxations),
      lastRelaxations: group(state.lastRelaxations),
      prices: group(state.prices),
    };
  });
}

function entry({ data, shape, dtype, size }: NdArray, i: number): NdArray {
  if (shape.length === 0) return new NdArray(data, shape, dtype);
  const modelSize = size / shape[0];
  return new NdArray(data.slice(i * modelSize, (i + 1) * modelSize), [1, ...shape.slice(1)], dtype);
}

/** The way back. */
export function joinStates(states: readonly State[], kinds: number): State {
  const places = states.length / kinds;
  const groups = (of: (state: State) => readonly NdArray[]): NdArray[] =>
    of(states[0]).length === 0
      ? []
      : Array.from({ length: kinds }, (_, m) =>
          concatenated(states.slice(m * places, (m + 1) * places).map((state) => of(state)[0])),
        );
  return {
    params: together(states.map(({ params }) => params)),
    optimizer: together(states.map(({ optimizer }) => optimizer)),
    relaxations: groups(({ relaxations }) => relaxations),
    lastRelaxations: groups(({ lastRelaxations }) => lastRelaxations),
    prices: groups(({ prices }) => prices),
  };
}

function together<T>(trees: readonly T[]): T {
  const lists = trees.map((tree) => {
    const found: NdArray[] = [];
    mapTree(tree, (leaf: NdArray) => found.push(leaf));
    return found;
  });
  let next = 0;
  return mapTree(trees[0], () => {
    const leaf = next++;
    return concatenated(lists.map((list) => list[leaf]));
  }) as T;
}

function concatenated(parts: readonly NdArray[]): NdArray {
  const [{ data, shape, dtype }] = parts;
  if (shape.length === 0) return parts[0];
  const all = new (data.constructor as Float32ArrayConstructor)(parts.reduce((n, { size }) => n + size, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part.data, at);
    at += part.size;
  }
  return new NdArray(all, [parts.reduce((n, part) => n + part.shape[0], 0), ...shape.slice(1)], dtype);
}
