// Looks at a state on all data: objective, losses, strict metrics and certificate.
import { type Backend, compile, full, type NdArray, readAll, type Stored, type Tensor } from "@pliant/engine";
import { pricedOf } from "../algorithms/algorithms.js";
import { acrossKinks } from "../certificate/across-kinks.js";
import {
  type Certificate,
  certify,
  type Distances,
  distances,
  type Units,
  withoutMinimum,
  withoutNumber,
} from "../certificate/certificate.js";
import { lagrangian } from "../certificate/lagrangian.js";
import { type Standstill, standstill } from "../certificate/stall-diagnosis.js";
import { rest } from "../certificate/stall-window.js";
import { remaining } from "../certificate/suboptimality.js";
import { endless } from "../certificate/unbounded.js";
import { scaled } from "../costs/scaled.js";
import type { Arrangement, Terms } from "../layout/constraint-layout.js";
import { measureStrictly, type Problem, type Traced } from "../problem/problem.js";
import { checkSeen, isFiniteArray } from "./finite.js";
import type { StoredState } from "./state.js";

/** What was seen of a state; vectors have one entry an element, one vector a group. */
export interface Inspection {
  readonly certificate: Certificate;
  readonly objective: number;
  /** The slack of the loss, and of what prices follow. */
  readonly slacks: readonly NdArray[];
  readonly priced: readonly NdArray[];
  /** The smallest change that what prices follow can show here. */
  readonly resolutions: readonly NdArray[];
  readonly strict: Readonly<Record<string, NdArray>>;
}

export interface InspectorOptions {
  readonly tolerance: number;
  readonly priceCap?: number;
  readonly backend: Backend;
  /** ‖∇ℓ₀‖ at the start. */
  readonly firstSlope: number;
  readonly kinks?: boolean;
  /** Whether steps go by curvature. */
  readonly newton?: boolean;
}

export interface Inspect {
  (state: StoredState, terms: Terms<Stored>): Promise<Inspection>;
  release(): void;
}

/** A slope so many times the tolerance may be that of one side of a kink. */
const closeBy = 300;
/** What an objective may move by while it stands still, in units of what the tolerance makes of it. */
const hardly = 0.1;

export function inspector<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  arranged: Arrangement<P, D, N>,
  data: unknown,
  { tolerance, priceCap, backend, firstSlope, kinks = false, newton }: InspectorOptions,
): Inspect {
  const { costs, scales, resolutions, signed, dtype, start, without } = arranged;
  const units: Units<NdArray> = {
    start: full([], start.objective, dtype),
    slope: full([], firstSlope, dtype),
    without: full([], without, dtype),
    scales,
    resolutions,
  };
  const look = compile(
    (
      state: { params: Traced<P>; relaxations: Tensor[]; prices: Tensor[] },
      d: D,
      terms: Terms<Tensor>,
      given: { units: Units<Tensor>; signed: readonly Tensor[] },
    ) => {
      const { values, ...found } = distances((p: Traced<P>) => arranged.evaluate(p, d, terms), state, {
        costs: costs.map((cost) => scaled(cost, terms.factor)),
        units: given.units,
        signed: given.signed,
        insisted: terms.insisted,
        priceCap,
        tolerance,
      });
      return {
        objective: values.objective,
        slacks: [...values.slacks],
        priced: [...pricedOf(values)],
        strict: measureStrictly(task, state.params, d) as Record<string, Tensor>,
        found: found as Distances,
      };
    },
    { backend },
  );
  const stands = rest();
  // Looked for once, while it stands still.
  let because: Standstill | undefined;
  const around = lagrangian(arranged, data, backend);
  const gains = remaining(arranged, data, { tolerance, backend });
  const inspect = async (state: StoredState, terms: Terms<Stored>): Promise<Inspection> => {
    const { params, relaxations, prices } = state;
    const seen = await readAll(
      await look(
        { params, relaxations, prices } as never,
        data as never,
        terms as never,
        { units, signed } as never,
      ),
    );
    const found = seen.found as unknown as Distances<NdArray>;
    const everything: Record<string, ArrayLike<number>> = {
      "the objective": seen.objective.data,
      ...arranged.byName(seen.slacks),
    };
    for (const [name, data] of Object.entries<number[]>(arranged.byName(seen.priced)))
      if (!data.every(Number.isFinite)) everything[name] = data;
    await checkSeen(everything, state);
    const objective = seen.objective.item();
    const still = stands(state.step, objective, tolerance * hardly * found.unit.item(), terms);
    const way = { still, kinks, newton, dtype };
    const left = () => gains(found, { objective, slacks: seen.slacks }, state, terms);
    const { equilibrium, complementarity, stationarity } = certify(found, tolerance, arranged.byName);
    const kinked =
      kinks &&
      stationarity > tolerance &&
      (still || stationarity < tolerance * closeBy) &&
      Math.max(equilibrium, complementarity) <= tolerance;
    /** What passes is tried: whether it falls without end, and whether steps of another kind still lower it. */
    const confirmed = async (
      certificate: Certificate,
      distances: Distances<NdArray>,
    ): Promise<Certificate> => {
      const slope = full([], Math.max(await left(), distances.slope.item()), dtype);
      const slow = { ...way, kinks: false, because: "slow" } as const;
      const tried = certify({ ...distances, slope }, tolerance, arranged.byName, slow);
      // What is not next to nothing, and can still be gained on, may only be on the way to a minimum far out.
      const little = Math.abs(objective) <= Math.sqrt(tolerance) * arranged.size;
      return (little || tried.holds) && (await endless(await around(state, terms)))
        ? withoutMinimum(certificate)
        : tried;
    };
    const judged = kinked ? await acrossKinks(found, await around(state, terms), tolerance) : found;
    if (!still) because = undefined;
    else if (!kinks && !(stationarity <= tolerance))
      because ??= await standstill({ found, around: await around(state, terms), left, tolerance, dtype });
    const certificate = certify(judged, tolerance, arranged.byName, { ...way, because });
    return {
      certificate: withoutNumber(
        certificate.holds ? await confirmed(certificate, judged) : certificate,
        Object.keys(seen.strict).filter((name) => !isFiniteArray(seen.strict[name])),
      ),
      objective,
      slacks: seen.slacks,
      priced: seen.priced,
      resolutions: found.resolutions,
      strict: seen.strict,
    };
  };
  return Object.assign(inspect, {
    release: () => {
      look.release();
      around.release();
      gains.release();
    },
  });
}
