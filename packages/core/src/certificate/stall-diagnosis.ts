// Why an objective stands still while a slope is left. Next to a kink the slope is that of one side, down it another one begins at once,
// and some mean of slopes nearby is small. Where that is not so, and steps of another kind still lower it, the steps taken are slow: some
// direction is much flatter than another. Where neither is found, float32 shows no more.
import type { DType, NdArray } from "@pliant/engine";
import { acrossKinks } from "./across-kinks.js";
import type { Distances } from "./certificate.js";
import type { Lagrangian } from "./lagrangian.js";
import { dot } from "./ravel.js";

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
  if (await jumps(around)) {
    const between = await acrossKinks(found, around, tolerance);
    if (Math.max(between.slope.item(), between.growth.item()) <= tolerance) return "kink";
  }
  if ((await left()) > tolerance) return "slow";
  return dtype === "float32" ? "rounding" : "unknown";
}

/** What is steep still, and no more, beside the slope here; how often a way is made longer, and halved. */
const [steep, level] = [0.9, 0.1];
const [longer, halvings] = [18, 50];

/** Whether the slope down itself is lost at one point, and not bit by bit. */
async function jumps({ theta, at }: Lagrangian): Promise<boolean> {
  const { slope, point } = await at(theta);
  const size = Math.sqrt(dot(slope, slope));
  if (!(size > 0)) return false;
  /** The share of the slope that is left after so long a way. */
  const shareAfter = async (way: number) => {
    const there = await at(point.map((x, i) => x - (way * slope[i]) / size));
    return { share: dot(there.slope, slope) / size ** 2, moved: there.point.some((x, i) => x !== point[i]) };
  };
  let [near, far] = [0, 1e-12 * Math.max(1, Math.sqrt(dot(theta, theta)))];
  for (let k = 0; (await shareAfter(far)).share > level; k++, far *= 10) {
    if (k === longer) return false;
    near = far;
  }
  for (let k = 0; k < halvings; k++) {
    const middle = (near + far) / 2;
    const { share, moved } = await shareAfter(middle);
    if (!moved || middle === near || middle === far) break;
    if (share > steep) near = middle;
    else if (share < level) far = middle;
    else return false;
  }
  return true;
}
