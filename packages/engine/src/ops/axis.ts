// An axis argument: a number, or options with one, in every operation.

/** An axis, counted from the back if negative, alone or among other options. */
export type Axis<Options extends object = object> = number | (Options & { axis?: number });

/** Axes likewise, where there may be several. */
export type Axes<Options extends object = object> =
  | number
  | readonly number[]
  | (Options & { axis?: number | readonly number[] });

/** The options, whichever way they were given. */
export function optionsOf<Options extends { axis?: unknown }>(
  given: number | readonly number[] | Options | undefined,
): Options {
  if (typeof given === "number" || Array.isArray(given)) return { axis: given } as unknown as Options;
  return (given ?? {}) as Options;
}

/** The one axis that was given, either way. */
export const axisIn = (given: Axis, otherwise: number): number =>
  optionsOf<{ axis?: number }>(given).axis ?? otherwise;
