// Requirements that must hold and cannot, by themselves or together. Prices that grow do not say it: those of a run that swings, or has a
// long way to go, grow as well. So where what is missing times its price came to ten times the objective's size, or more than half of it
// is missing after as many steps again, what is missing is itself made as small as it can be, whatever the objective: ½ Σ ([g]₊/σ)² of
// what must hold, with |g| of an equality. Where that rests above 0, from the first parameters and from those here, what is still
// missing there cannot be had together: each of it has a price at that rest which the others hold in balance. What is counted has
// stand-ins, whose slope is not its own, and is left out.
import {
  type Backend,
  compile,
  NdArray,
  readAll,
  type Stored,
  type Tensor,
  valueAndGrad,
  where,
} from "@pliant/engine";
import type { Certificate } from "../certificate/certificate.js";
import { looks } from "../certificate/host-evaluation.js";
import { descent } from "../certificate/lbfgs.js";
import { dot, flat, shaped } from "../certificate/ravel.js";
import { hard } from "../costs/linear.js";
import type { Arrangement, Terms } from "../layout/constraint-layout.js";
import type { Problem, Traced } from "../problem/problem.js";
import type { Inspection } from "../solver/inspector.js";
import type { SolverState } from "../solver/state.js";

/** In sizes of the objective: what is missing times its price where it is looked at. */
const much = 10;
/** Steps before which it may only be on its way. */
const early = 250;
/** It rests where so many looks lower it by less than this share; so many times they are taken. */
const [rests, rounds] = [0.01, 4];
/** What is missing by less than this share of what is missing most is not what conflicts. */
const hardly = 0.01;
/** Who conflicts is looked for among so many. */
const tried = 12;

interface Look {
  readonly state: SolverState;
  readonly terms: Terms<Stored>;
  readonly seen: Inspection;
}

/** What was missing at a step, and who was found that cannot hold; none where that is not shown, or was not looked for. */
interface Mark {
  readonly terms: unknown;
  readonly step: number;
  readonly missing: number;
  readonly dear: boolean;
  readonly names: readonly string[];
}

export interface Conflicts {
  (look: Look): Promise<Certificate>;
  release(): void;
}

/** From look to look: the certificate and, where prices grow in vain, that in place of what more steps may do. */
export function conflicts<P, D, M, N extends string>(
  { requirements, params: first }: Problem<P, D, M, N>,
  { evaluate, dtype, size, groups, byName, scales, signed, followed, vectors }: Arrangement<P, D, N>,
  data: unknown,
  backend: Backend,
): Conflicts {
  const missing = compile(
    (params: Traced<P>, weights: Tensor[], either: Tensor[], d: D, terms: Terms<Tensor>) => {
      const short = (p: Traced<P>) => {
        const each = evaluate(p, d, terms).slacks.map((g, i) =>
          where(either[i].gt(0), g, g.relu()).mul(weights[i]),
        );
        const loss = each.map((g) => g.mul(g).sum().mul(0.5)).reduce((a, b) => a.add(b));
        return { loss, aux: { each: each.map((g) => g.abs()), summed: loss } };
      };
      const { value, gradient, aux } = valueAndGrad(short)(params);
      return { value, gradient: gradient as Record<string, Tensor>, ...aux };
    },
    { backend },
  );

  /**
   * Of those that must hold, who is missing where as little as can be is, from these parameters on, what is missing least first; none
   * where it may be less.
   */
  async function stillMissing(
    params: unknown,
    firm: readonly N[],
    terms: Terms<Stored>,
    tolerance: number,
  ): Promise<readonly N[]> {
    const weights = vectors((name) => (firm.includes(name) ? 1 : 0)).map((w, k) => {
      const each = Array.from(
        w.data,
        (x, i) => (Number(x) * Number(followed[k].data[i])) / Number(scales[k].data[i]),
      );
      return new NdArray(dtype === "float64" ? Float64Array.from(each) : Float32Array.from(each), w.shape);
    });
    const said = (tree: unknown) =>
      missing(tree as never, weights as never, signed as never, data as never, terms as never);
    const at = looks(params, dtype, said as never);
    const nothing = tolerance ** 2 / 2;
    let here = await at(flat(params));
    const begun = here.point;
    for (let round = 0; round < rounds; round++) {
      const enough = { first: here.value, all: here.value - nothing };
      const { all, at: foot } = await descent(at, here.point, enough);
      const isAtRest = all <= rests * here.value;
      here = foot;
      if (here.value <= nothing) return [];
      if (!isAtRest) continue;
      // Of a convex V none is less than V − ‖∇V‖R within R, the way so far: where steps only do not
      // get on, as next to a kink, it may be 0 there.
      const way = here.point.map((x, i) => x - begun[i]);
      const within = Math.sqrt(Math.max(dot(here.point, here.point), dot(way, way)));
      if (Math.sqrt(dot(here.slope, here.slope)) * within > here.value) return [];
      const { each } = (await readAll({
        each: (await said(shaped(params, here.point))).each,
      } as never)) as never as { each: NdArray[] };
      const by = byName(each);
      const most = (name: N): number => Math.max(...by[name]);
      const worst = Math.max(...firm.map(most));
      return worst <= tolerance
        ? []
        : firm.filter((name) => most(name) > hardly * worst).sort((a, b) => most(a) - most(b));
    }
    return [];
  }

  /** Without any of these the others could be had, as far as that was tried: each in turn is left out, what is missing least first. */
  async function fewest(
    names: readonly N[],
    from: (params: unknown, some: readonly N[]) => Promise<readonly N[]>,
  ): Promise<readonly N[]> {
    let left = names;
    for (const name of names.slice(0, tried)) {
      const rest = left.includes(name) ? left.filter((other) => other !== name) : [];
      const among = rest.length > 0 ? await from(first, rest) : [];
      if (among.length > 0) left = rest.filter((other) => among.includes(other));
    }
    return (Object.keys(requirements) as N[]).filter((name) => left.includes(name));
  }

  let mark: Mark | undefined;
  const judged = async ({ state, terms, seen: { certificate, priced } }: Look): Promise<Certificate> => {
    const { step, prices } = state;
    const insisted = byName(terms.insisted as readonly NdArray[]);
    const firm = groups
      .flatMap(({ names, cost }) => names.map((name) => ({ name, cost })))
      .filter(({ name, cost }) => cost === hard || insisted[name].some((x) => x > 0))
      .map(({ name }) => name)
      .filter((name) => requirements[name].pricedBy !== "strict");
    const [price, slack] = [prices, priced].map(byName);
    const over = (name: N, i: number): number =>
      requirements[name].sense === "equal to" ? Math.abs(slack[name][i]) : Math.max(0, slack[name][i]);
    const paid = firm
      .flatMap((name) => price[name].map((x, i) => Math.abs(x) * over(name, i)))
      .reduce((a, b) => a + b, 0);
    const missed = certificate.feasibility;
    const isMet = missed <= certificate.tolerance;
    if (mark?.terms !== terms || step < mark.step || isMet) mark = undefined;
    if (isMet || firm.length === 0) return certificate;
    const dear = size > 0 && paid > much * size;
    if (!mark && !dear && step < early) return certificate;
    const again = mark?.names.length === 0 && step >= 2 * mark.step;
    const nearer = mark !== undefined && missed <= mark.missing / 2;
    if ((dear && !mark?.dear) || (again && (dear || !nearer))) {
      const from = (params: unknown, some: readonly N[]) =>
        stillMissing(params, some, terms, certificate.tolerance);
      const names = await from(first, firm);
      const cannot = names.length > 0 && (await from(state.params, firm)).length > 0;
      mark = { terms, step, missing: missed, dear, names: cannot ? await fewest(names, from) : [] };
    } else if (!mark || again) mark = { terms, step, missing: missed, dear, names: [] };
    return mark.names.length === 0
      ? certificate
      : { ...certificate, short: [`prices still grow, and in vain: ${whoCannot(mark.names)}`] };
  };
  return Object.assign(judged, { release: () => missing.release() });
}

const whoCannot = (names: readonly string[]): string =>
  names.length === 1
    ? `${names[0]} cannot hold at its level, as far as steps can show; let it bend, or loosen it`
    : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]} conflict, as far as steps can show; let one bend, or loosen a level`;
