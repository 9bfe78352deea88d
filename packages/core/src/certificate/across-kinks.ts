// The least slope that kinks allow, of a state on all data: what kinks.ts asks for is the Lagrangian at prices that stand still.
import { full, type NdArray } from "@pliant/engine";
import type { Distances } from "./certificate.js";
import type { Lagrangian } from "./lagrangian.js";
import { leastSlope } from "./subgradient.js";

/** How far below the objective a bound may be, in units of what the tolerance makes of it. */
const below = 0.01;

/** The distances with it in place of the slope on one side. */
export async function acrossKinks(
  found: Distances<NdArray>,
  { theta, at }: Lagrangian,
  tolerance: number,
): Promise<Distances<NdArray>> {
  const along = found.reach.item();
  const { dtype } = found.slope;
  const least = await leastSlope(at, theta, {
    length: found.parts.item(),
    along,
    error: below * tolerance * along,
    enough: tolerance,
  });
  return { ...found, slope: full([], least.slope, dtype), growth: full([], least.growth, dtype) };
}
