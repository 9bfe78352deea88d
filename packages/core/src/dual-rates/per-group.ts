// Records of vectors, one a group of requirements, kept as lists by name.

import type { Tensor } from "@pliant/engine";

/** A list for each name of a record, with one entry a group. */
export type PerGroup<R> = { readonly [Name in keyof R]: readonly R[Name][] };

/** The lists for the names of a record, each from its value and its name. */
export const perGroup = <Name extends string, L, T>(
  like: Readonly<Record<Name, L>>,
  of: (value: L, name: Name) => readonly T[],
): Record<Name, T[]> =>
  Object.fromEntries(
    Object.entries<L>(like).map(([name, value]) => [name, of(value, name as Name)]),
  ) as never;

/** The record of one group. */
export const groupOf = <Name extends string>(
  lists: Readonly<Record<NoInfer<Name>, readonly Tensor[]>>,
  like: Readonly<Record<Name, unknown>>,
  i: number,
): Record<Name, Tensor> => perGroup(like, (_, name) => lists[name][i] as never) as never;
