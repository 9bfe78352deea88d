// Why a run has not been certified, beyond what its numbers say: no point satisfies the requirements, or there is no minimum. Both are
// looked for outside the check, and only where it fails in the way that they would make it fail.
import type { NdArray } from "@pliant/engine";
import type { Certificate } from "../certificate/certificate.js";
import type { Models } from "../certificate/compiled-model.js";
import { kktStep } from "../certificate/newton-kkt.js";
import { fallsForEver } from "../certificate/unbounded.js";
import { ravel } from "../certificate/vectors.js";
import { sentences } from "../certificate/words.js";
import type { Arrangement } from "../layout/constraint-layout.js";
import type { Problem } from "../problem/problem.js";
import type { Inspected } from "../report/inspection.js";
import { conflicting } from "./infeasible.js";

type Diagnosis = Pick<Certificate, "short" | "infeasible" | "withoutMinimum">;

/** Steps before the first diagnosis; each next one comes after twice as many. */
const early = 20;

export function diagnose<P, D, M, N extends string>(
  { requirements, params: first }: Problem<P, D, M, N>,
  { groups, sizes, byName, followed }: Arrangement<P, D, N>,
  models: Models,
) {
  let last: ({ terms: unknown; step: number } & Diagnosis) | undefined;
  const total = followed.reduce((sum, { data }) => sum + data.length, 0);
  return async ({ state, terms, seen }: Inspected): Promise<Certificate> => {
    const { certificate } = seen;
    if (certificate.holds || seen.lower || state.step < early) return certificate;
    if (last?.terms !== terms || state.step < last.step) last = undefined;
    if (!last || (last.short.length === 0 && state.step >= 2 * last.step))
      last = { terms, step: state.step, ...(await found()) };
    if (last.short.length === 0) return certificate;
    const { terms: _, step, ...why } = last;
    return { ...certificate, ...why };

    async function found(): Promise<Diagnosis> {
      const names = await infeasible();
      if (names.length > 0) return { short: [cannotHold(names)], infeasible: names };
      const model = await models(state.params, terms);
      const [x, prices] = [state.params, [...state.prices]].map((tree) => ravel(tree));
      const step = seen.newton ?? (await kktStep(model, { x, prices }));
      const how = await fallsForEver(model, step);
      return how ? { short: sentences([{ what: how }]), withoutMinimum: true } : { short: [] };
    }

    async function infeasible(): Promise<readonly string[]> {
      const insisted = byName(terms.insisted as readonly NdArray[]);
      const firm: Record<string, number[]> = {};
      let [at, missing] = [0, false];
      const slack = byName(seen.slacks);
      for (const { names } of groups)
        for (const name of names) {
          const must = insisted[name].some((x) => x > 0);
          const elements = Array.from({ length: sizes[name] }, (_, i) => at + i);
          at += sizes[name];
          if (!must || requirements[name].pricedBy === "strict") continue;
          firm[name] = elements;
          const equal = requirements[name].sense === "equal to";
          missing ||= slack[name].some((g) => (equal ? g !== 0 : g > 0));
        }
      if (!missing) return [];
      return conflicting({
        models,
        terms,
        tolerance: certificate.tolerance,
        from: [first, state.params],
        start: ravel,
        firm,
        size: total,
      });
    }
  };
}

const cannotHold = (names: readonly string[]): string =>
  names.length === 1
    ? `infeasible: ${names[0]} cannot hold at its level; let it give way, or loosen it`
    : `infeasible: ${names.slice(0, -1).join(", ")} and ${names[names.length - 1]} conflict; let one give way, or loosen a level`;
