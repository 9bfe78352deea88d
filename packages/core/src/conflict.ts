// Requirements that must hold and cannot, by themselves or together. Their prices rise without end, and where they cancel the model may
// be anywhere, so that the prices say it and not where the model is: what is missing times its price came to ten times the objective's
// size, and after as many steps again it is a hundred times that, and hardly less is missing. What comes nearer as it did before may only
// have a long way to go. What is counted has stand-ins, whose prices are not in units of the objective.
import type { NdArray, Stored } from "@pliant/engine";
import type { Arrangement, Terms } from "./arrangement.js";
import type { Certificate } from "./certificate.js";
import { hard } from "./costs/linear.js";
import type { Inspection } from "./inspector.js";
import type { Problem } from "./problem.js";
import type { SolverState } from "./state.js";

/** In sizes of the objective: what is missing times its price where it is first looked at, and where it is said to be in vain. */
const [much, vain] = [10, 100];
/** It came nearer where less than this share of what was missing is, or since then by more than this share of the way so far. */
const nearer = { missing: 0.5, way: 0.25 };

interface Look {
  readonly state: SolverState;
  readonly terms: Terms<Stored>;
  readonly seen: Inspection;
}

/** What was missing at a look. */
interface Mark {
  readonly terms: unknown;
  readonly step: number;
  readonly missing: number;
}

/** From look to look: the certificate and, where prices grow in vain, that in place of what more steps may do. */
export function conflicts<P, D, M, N extends string>(
  { requirements }: Problem<P, D, M, N>,
  arranged: Arrangement<P, D, N>,
): (look: Look) => Certificate {
  const { size, groups, byName } = arranged;
  let [most, mark]: [Mark?, Mark?] = [];
  return ({ state: { step, prices }, terms, seen: { certificate, priced } }) => {
    const insisted = byName(terms.insisted as readonly NdArray[]);
    const firm = groups
      .flatMap(({ names, cost }) => names.map((name) => ({ name, cost })))
      .filter(({ name, cost }) => cost === hard || insisted[name].some((x) => x > 0))
      .map(({ name }) => name)
      .filter((name) => requirements[name].pricedBy !== "strict");
    const [price, slack, scale] = [prices, priced, arranged.scales].map(byName);
    const missing = (name: N, i: number): number =>
      requirements[name].sense === "equal to" ? Math.abs(slack[name][i]) : Math.max(0, slack[name][i]);
    const paid = firm
      .flatMap((name) => price[name].map((x, i) => Math.abs(x) * missing(name, i)))
      .reduce((a, b) => a + b, 0);
    const missed = certificate.feasibility;
    const isMet = missed <= certificate.tolerance;
    if (most?.terms !== terms || step < most.step || missed > most.missing)
      most = { terms, step, missing: missed };
    if (mark?.terms !== terms || step < mark.step || isMet) mark = undefined;
    if (isMet || size === 0 || paid <= much * size) return certificate;
    mark ??= { terms, step, missing: missed };
    const inVain =
      paid > vain * size &&
      step >= 2 * mark.step &&
      missed > nearer.missing * mark.missing &&
      mark.missing - missed <= nearer.way * (most.missing - missed);
    const dear = firm.filter((name) =>
      price[name].some((x, i) => Math.abs(x) * scale[name][i] > much * size),
    );
    if (!inVain || step === mark.step || dear.length === 0) return certificate;
    return { ...certificate, short: [`prices still grow, and in vain: ${whoCannot(dear)}`] };
  };
}

const whoCannot = (names: readonly string[]): string =>
  names.length === 1
    ? `${names[0]} cannot hold at its level, as far as steps can show; let it bend, or loosen it`
    : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]} conflict, as far as steps can show; let one bend, or loosen a level`;
