// What a requirement is measured by that begins at a level of 0. Neither number tells of its units, so its slope does: what it moves by
// over a way that is natural to the parameters, which is that to the bottom of the objective down its slope. That way knows nothing of
// the requirement, and 10 times its values have 10 times this size.
import {
  type Argument,
  array,
  type Backend,
  compile,
  constant,
  grad,
  type NdArray,
  type Replace,
  readAll,
  type Tensor,
  valueAndGrad,
} from "@pliant/engine";
import { dot, flat, scattered, shaped } from "../certificate/ravel.js";
import { lengthOf } from "../dual-rates/dual-step-size.js";
import { measure, type Problem, type Traced } from "../problem/problem.js";

/** Looks for the bottom, and the parts of a slope that are as good as none there, and lost on a way that shows no bend. */
const [looks, flatter, straight] = [8, 0.3, 0.01];

type Point = readonly number[];

export interface Natural {
  /** A size in the requirement's own units; 1 of what does not move. */
  readonly size: number;
  /** What a price moves by when the requirement does by one and the model answers it, as the objective bends; not known of one at its bottom. */
  readonly rate?: number;
}

/**
 * What is natural to each requirement.
 * @param apart How far a requirement is from its level at the start.
 */
export async function naturalSizes<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  names: readonly N[],
  apart: (name: N) => number,
  data: Replace<D, Argument>,
  backend: Backend,
): Promise<Record<N, Natural>> {
  const theta = flat(task.params);
  const compiled: { release(): void }[] = [];
  /** What a function of the parameters says at points of them. */
  const looking = <T>(of: (params: Traced<P>, d: D) => unknown) => {
    const run = compile(of as never, { backend }) as unknown as (p: unknown, d: unknown) => Promise<never>;
    compiled.push(run as never);
    return async (point: Point): Promise<T> =>
      (await readAll(await run(shaped(task.params, point), data))) as unknown as T;
  };
  const requirementsOf = (some: readonly N[]) =>
    looking<{ values: NdArray; slope: NdArray }[]>((params, d) =>
      some.map((name) => {
        const loss = (p: Traced<P>): Tensor => measure(task, p, d).losses[name].value;
        const values = loss(params);
        // Of elements at random signs, the root of the mean of their squares.
        const signs = constant(array(scattered(values.size).map(Math.sign), { dtype: values.dtype }));
        const slope = lengthOf(grad((p: Traced<P>) => loss(p).mul(signs).sum())(params));
        return { values, slope: slope.div(Math.sqrt(values.size)) };
      }),
    );
  const objective = looking<{ value: NdArray; gradient: unknown }>((params, d) =>
    valueAndGrad((p: Traced<P>) => measure(task, p, d).objective)(params),
  );
  const requirements = requirementsOf(names);
  const there = (way: number, along: Point): Point => theta.map((x, i) => x + way * along[i]);

  const first = await objective(theta);
  const slope = flat(first.gradient);
  const steep = Math.sqrt(dot(slope, slope));
  const down = steep > 0 ? slope.map((x) => -x / steep) : undefined;
  const way = down ? await toTheBottom(down) : await toALevel();
  const here = await requirements(theta);
  const tried: (typeof here)[] = [];
  for (const along of [...(down ? [down] : []), scattered(theta.length)])
    tried.push(await requirements(there(way, along)));
  for (const each of compiled) each.release();
  return Object.fromEntries(
    names.map((name, k) => {
      const { data: from } = here[k].values;
      const moved = tried.flatMap((seen) =>
        Array.from(seen[k].values.data, (x, i) => Math.abs(Number(x) - Number(from[i]))),
      );
      const size =
        sized(here[k].slope.item() * way) || sized(Math.max(...moved.filter(Number.isFinite))) || 1;
      return [name, { size, ...(down && { rate: (steep * way) / size ** 2 }) }];
    }),
  ) as Record<N, Natural>;

  /** How far down its slope it is to where the objective rises again or, if it goes straight on, would be less by all that it is. */
  async function toTheBottom(along: Point): Promise<number> {
    let way = sized(Math.abs(first.value.item()) / steep) || lengthOfStart();
    for (let look = 0; look < looks; look++) {
      const rises = dot(flat((await objective(there(way, along))).gradient), along);
      const bent = steep + rises;
      if (Math.abs(rises) <= flatter * steep || bent < straight * steep) break;
      // Where it would not fall nor rise if it went on as between the two.
      way *= Number.isFinite(rises) ? steep / bent : 0.1;
    }
    return way;
  }

  /** At the bottom of the objective, how far it is to the nearest level of others down their slopes. */
  async function toALevel(): Promise<number> {
    const others = (Object.keys(task.requirements) as N[]).filter((name) => sized(apart(name)) > 0);
    const seen = await requirementsOf(others)(theta);
    const ways = others.map((name, k) => sized(apart(name) / seen[k].slope.item())).filter((x) => x > 0);
    return ways.length > 0 ? Math.min(...ways) : lengthOfStart();
  }

  function lengthOfStart(): number {
    return sized(Math.sqrt(dot(theta, theta))) || 1;
  }
}

/** What has no size is 0. */
const sized = (x: number): number => (Number.isFinite(x) && x > 0 ? x : 0);
