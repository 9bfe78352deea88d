// Disturbed copies of examples, for requirements that hold under them: noise on columns, transforms of images. Drawn once
// from the seed, so that a run sees the same copies at every step and after every resume.
import { hint } from "@pliant/core";
import { array, compile, full, NdArray, random, type Tensor } from "@pliant/engine";
import { compose, rotation, scaling, transform, translation } from "@pliant/learn";
import type { Examples, Part, Prepared } from "../data/examples.js";
import type { Complain } from "../metrics/kind.js";
import type { RequirementSpec } from "../spec/spec.js";
import type { Stated } from "./stated.js";

export type Under = NonNullable<Extract<RequirementSpec, { metric: "loss" }>["under"]>;

export const underOf = (spec: RequirementSpec): Under | undefined => (spec as { under?: Under }).under;

export interface Disturbance {
  /** Where the copies of a requirement are; undefined for the examples themselves. */
  keyOf(stated: Stated): string | undefined;
  /** [N, draws, …] by key. */
  copies(examples: Examples, part: Part): Promise<Record<string, NdArray>>;
}

/** Each part of the examples draws by itself. */
const streamOf: Record<Part, number> = { train: 101, test: 102, validation: 103 };

/** Requirements with the same words share their copies. */
export function disturbances(stated: readonly Stated[], prepared: Prepared, seed: number): Disturbance {
  const wanted = [
    ...new Set(stated.flatMap(({ spec }) => (underOf(spec) ? [JSON.stringify(underOf(spec))] : []))),
  ];
  const keyOf = ({ spec }: Stated): string | undefined => {
    const under = underOf(spec);
    return under && `d${wanted.indexOf(JSON.stringify(under))}`;
  };
  return {
    keyOf,
    copies: async (examples, part) => {
      const copies: Record<string, NdArray> = {};
      for (const [i, words] of wanted.entries()) {
        const under = JSON.parse(words) as Under;
        const key = random.foldIn(random.foldIn(random.key(seed), streamOf[part]), i);
        copies[`d${i}`] = prepared.images
          ? await transformed(examples, under, key)
          : noisy(examples, under, prepared, key);
      }
      return copies;
    },
  };
}

/** Each numeric feature moved by up to so many deviations, where it was not missing. */
function noisy(
  examples: Examples,
  { noise = 0, columns, draws }: Under,
  { numeric }: Prepared,
  key: random.Key,
): NdArray {
  const [n, d] = examples.x.shape;
  const features = (columns ?? [...numeric.keys()]).map((name) => numeric.get(name)!);
  const moves = random.uniform(key, [n, draws, features.length], { low: -noise, high: noise }).data;
  const copies = new Float32Array(n * draws * d);
  for (let i = 0, at = 0; i < n; i++)
    for (let k = 0; k < draws; k++) {
      const row = (i * draws + k) * d;
      copies.set(examples.x.data.subarray(i * d, (i + 1) * d), row);
      for (const feature of features) {
        if (!examples.missing(feature, i)) copies[row + feature] += moves[at];
        at++;
      }
    }
  return new NdArray(copies, [n, draws, d]);
}

const bounds = (range: number | readonly [number, number]): readonly [number, number] =>
  typeof range === "number" ? [-range, range] : range;

/** Images at a time: as many as stay in a small memory. */
const chunk = 256;

/** Each image turned, then scaled, then moved, each by its own draw. */
async function transformed(
  { x, count }: Examples,
  { rotation: angles = 0, translation: moves = 0, scale = [1, 1], draws }: Under,
  key: random.Key,
): Promise<NdArray> {
  const keys = random.split(key, 4);
  const draw = (k: number, [low, high]: readonly [number, number]): NdArray =>
    low === high ? full([count, draws], low) : random.uniform(keys[k], [count, draws], { low, high });
  const degree = Math.PI / 180;
  const drawn = {
    angle: draw(0, bounds(angles)),
    dx: draw(1, bounds(moves)),
    dy: draw(2, bounds(moves)),
    // Sizes are drawn by their logarithm, so that half and double are equally far from 1.
    size: draw(3, [Math.log(scale[0]), Math.log(scale[1])]),
  };
  const apply = compile((images: Tensor, by: { angle: Tensor; dx: Tensor; dy: Tensor; size: Tensor }) =>
    transform(
      images,
      compose(
        rotation(by.angle.mul(degree)),
        scaling(by.size.neg()),
        translation(by.dx.mul(-2), by.dy.mul(-2)),
      ),
    ),
  );
  const shape = x.shape.slice(1);
  const size = shape.reduce((a, b) => a * b, 1);
  const copies = new Float32Array(count * draws * size);
  for (let from = 0; from < count; from += chunk) {
    const n = Math.min(chunk, count - from);
    for (let k = 0; k < draws; k++) {
      const part = (of: NdArray): NdArray =>
        array(Float32Array.from({ length: n }, (_, i) => of.data[(from + i) * draws + k]));
      const images = new NdArray(x.data.slice(from * size, (from + n) * size), [n, ...shape]);
      const { angle, dx, dy, size: s } = drawn;
      const { data } = await (
        await apply(images, { angle: part(angle), dx: part(dx), dy: part(dy), size: part(s) })
      ).read();
      for (let i = 0; i < n; i++)
        copies.set(data.subarray(i * size, (i + 1) * size), ((from + i) * draws + k) * size);
    }
  }
  return new NdArray(copies, [count, draws, ...shape]);
}

export function checkUnder(spec: RequirementSpec, { images, numeric }: Prepared, complain: Complain): void {
  const under = underOf(spec);
  if (!under) return;
  const { noise, columns = [], rotation, translation, scale } = under;
  const transforms = { rotation, translation, scale };
  const [transform] = Object.entries(transforms).filter(([, range]) => range !== undefined);
  for (const [name, range] of Object.entries(transforms))
    if (Array.isArray(range) && range[0] > range[1])
      throw complain("under", `the lower end of ${name}, ${range[0]}, is above the upper one, ${range[1]}.`);
  if (images) {
    if (noise !== undefined || columns.length > 0)
      throw complain("under", "noise is for columns; images have rotation, translation and scale.");
    if (!transform)
      throw complain("under", "it names no disturbance; images have rotation, translation and scale.");
    return;
  }
  if (transform) throw complain("under", `${transform[0]} is for images; columns have noise.`);
  if (noise === undefined) throw complain("under", "it names no disturbance; columns have noise.");
  const unknown = columns.find((name) => !numeric.has(name));
  if (unknown !== undefined)
    throw complain("under", `"${unknown}" is not a numeric column${hint(unknown, [...numeric.keys()])}`);
}
