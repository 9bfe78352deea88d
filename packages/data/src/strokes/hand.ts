// A hand: turns the skeleton of a digit into the path of a pen, with the slant, size, unsteadiness and pressure of one
// writing. Only + − × ÷ and square roots make the numbers, so that every machine draws the same images.
import type { Skeleton } from "./skeletons.js";

/** Segments one after another: x, y and pen radius at both ends, in pixels. */
export interface Path {
  readonly segments: Float64Array;
  readonly count: number;
}

export const SEGMENT = 6;

/** Draws numbers one after another. */
export interface Dice {
  /** Uniform in [low, high). */
  between(low: number, high: number): number;
  /** Normal with mean 0. */
  normal(std: number): number;
}

/** Straight pieces between two points of a skeleton. */
const PIECES = 5;
/** Pixels a unit of the skeletons' box: a digit 80 units tall takes 20 of the 28 pixels, as in MNIST. */
const PIXELS = 0.25;
const CENTRE = 14;

export function write(skeleton: Skeleton, dice: Dice, segments: Float64Array): Path {
  const place = placement(dice);
  const radius = dice.between(0.9, 1.9);
  const unsteady = dice.between(0.8, 2.2);
  let count = 0;
  for (const stroke of skeleton) {
    const points = unsettled(stroke, unsteady, dice);
    const pressure = dice.between(-0.35, 0.35);
    const last = points.length / 2 - 1;
    const along = (t: number): number => radius * (1 + pressure * ((2 * t) / last - 1));
    let [x, y] = place(points[0], points[1]);
    let r = along(0);
    for (let i = 0; i < last; i++) {
      for (let piece = 1; piece <= PIECES; piece++) {
        const t = piece / PIECES;
        const [nextX, nextY] = place(spline(points, i, t, 0), spline(points, i, t, 1));
        const nextR = along(i + t);
        segments.set([x, y, r, nextX, nextY, nextR], SEGMENT * count++);
        [x, y, r] = [nextX, nextY, nextR];
      }
    }
  }
  return { segments, count };
}

/** Where a point of the box comes to lie: bent by a quadratic, then slanted, scaled, turned and moved. */
function placement(dice: Dice): (x: number, y: number) => [number, number] {
  const bend = Array.from({ length: 6 }, () => dice.normal(0.04));
  const slant = dice.normal(0.18);
  const height = PIXELS * dice.between(0.82, 1.08);
  const width = height * dice.between(0.8, 1.2);
  // The turn by 2 arctan(half), within 18° in 19 of 20 writings.
  const half = dice.normal(0.08);
  const cos = (1 - half * half) / (1 + half * half);
  const sin = (2 * half) / (1 + half * half);
  const moveX = CENTRE + dice.between(-2.7, 2.7);
  const moveY = CENTRE + dice.between(-2.7, 2.7);
  return (x, y) => {
    const u = (x - 50) / 40;
    const v = (y - 50) / 40;
    const bentX = x - 50 + 40 * (bend[0] * u * v + bend[1] * v * v + bend[2] * u * u);
    const bentY = y - 50 + 40 * (bend[3] * u * v + bend[4] * u * u + bend[5] * v * v);
    const a = width * (bentX - slant * bentY);
    const b = height * bentY;
    return [moveX + cos * a - sin * b, moveY + sin * a + cos * b];
  };
}

/** The stroke with every point moved a little; a corner stays a corner. */
function unsettled(stroke: readonly number[], std: number, dice: Dice): Float64Array {
  const points = Float64Array.from(stroke);
  for (let i = 0; i < points.length; i += 2) {
    const corner = i > 0 && stroke[i] === stroke[i - 2] && stroke[i + 1] === stroke[i - 1];
    points[i] = corner ? points[i - 2] : points[i] + dice.normal(std);
    points[i + 1] = corner ? points[i - 1] : points[i + 1] + dice.normal(std);
  }
  return points;
}

/** The Catmull–Rom curve between points i and i + 1, at t from 0 to 1; coordinate 0 is x, 1 is y. */
function spline(points: Float64Array, i: number, t: number, coordinate: 0 | 1): number {
  const last = points.length / 2 - 1;
  const at = (j: number): number => points[2 * Math.min(Math.max(j, 0), last) + coordinate];
  const [a, b, c, d] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
  return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}
