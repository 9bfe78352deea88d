// Sets of points to begin with.
import { random } from "@pliant/engine";
import type { Point } from "./problem.js";

/** Points around some centres, as many of the sick as of the well unless told. */
function clouds(
  key: random.Key,
  of: readonly { at: readonly [number, number]; sick: boolean; count: number; spread: number }[],
): Point[] {
  return of.flatMap(({ at, sick, count, spread }, i) => {
    const draws = random.normal(random.foldIn(key, i), [count, 2], { std: spread }).data;
    return Array.from({ length: count }, (_, k) =>
      inside(at[0] + draws[2 * k], at[1] + draws[2 * k + 1], sick),
    );
  });
}

const clamp = (x: number): number => Math.max(-0.98, Math.min(0.98, x));
const inside = (x: number, y: number, sick: boolean): Point => ({
  x: Number(clamp(x).toFixed(3)),
  y: Number(clamp(y).toFixed(3)),
  sick,
});

const key = random.key(7);

export const presets: Readonly<Record<string, { label: string; points: () => Point[] }>> = {
  overlap: {
    label: "Two clouds that overlap",
    points: () =>
      clouds(key, [
        { at: [-0.28, -0.1], sick: false, count: 60, spread: 0.3 },
        { at: [0.28, 0.1], sick: true, count: 60, spread: 0.3 },
      ]),
  },
  apart: {
    label: "Two clouds apart",
    points: () =>
      clouds(key, [
        { at: [-0.45, -0.3], sick: false, count: 60, spread: 0.2 },
        { at: [0.45, 0.3], sick: true, count: 60, spread: 0.2 },
      ]),
  },
  rare: {
    label: "Few sick among many well",
    points: () =>
      clouds(key, [
        { at: [-0.15, -0.05], sick: false, count: 110, spread: 0.34 },
        { at: [0.4, 0.3], sick: true, count: 18, spread: 0.24 },
      ]),
  },
  ring: {
    label: "A ring around a core",
    points: () => {
      const draws = random.uniform(random.foldIn(key, 9), [120, 3]).data;
      return Array.from({ length: 120 }, (_, i) => {
        const [turn, far, push] = [draws[3 * i] * 2 * Math.PI, draws[3 * i + 1], draws[3 * i + 2]];
        const sick = i % 2 === 0;
        const radius = sick ? 0.5 * Math.sqrt(far) : 0.38 + 0.45 * push;
        return inside(radius * Math.cos(turn), radius * Math.sin(turn), sick);
      });
    },
  },
};
