// Why an objective stands still while a slope is left. Next to a kink the slope is that of one side, and some mean of slopes nearby is
// small. Where it is not, and steps of another kind still lower it, the steps taken are slow: some direction is much flatter than
// another. Where neither is found, float32 shows no more.
import type { DType, NdArray } from "@pliant/engine";
import { acrossKinks } from "./across-kinks.js";
import type { Distances } from "./certificate.js";
import type { Lagrangian } from "./lagrangian.js";

export type Standstill = "kink" | "slow" | "rounding" | "unknown";

interface Known {
  readonly found: Distances<NdArray>;
  readonly around: Lagrangian;
  /** What is left to gain, in units of what may be (remaining.ts). */
  left(): Promise<number>;
  readonly tolerance: number;
  readonly dtype: DType;
}

export async function standstill({ found, around, left, tolerance, dtype }: Known): Promise<Standstill> {
  const between = await acrossKinks(found, around, tolerance);
  if (Math.max(between.slope.item(), between.growth.item()) <= tolerance) return "kink";
  if ((await left()) > tolerance) return "slow";
  return dtype === "float32" ? "rounding" : "unknown";
}
