// Random programs over the whole operation set, built so that rounding is all that can separate two back ends.
import { type DType, NdArray, type Tensor, valueAndGrad } from "@pliant/engine";
import fc from "fast-check";
import { trace } from "../src/compile.js";
import { type Program, print } from "../src/graph.js";
import { constant } from "../src/tensor.js";
import { axisSteps } from "./programs/axes.js";
import { Builder, isReal, type Node, type RandomStep } from "./programs/builder.js";
import { elementSteps } from "./programs/elements.js";
import { productSteps } from "./programs/products.js";

export interface RandomProgram {
  readonly nodes: readonly Node[];
  readonly operations: readonly string[];
  /** How often a step was given up because a value lay too near its decision. */
  readonly avoided: number;
  /** Whether something was decided on an exact tie: there the gradient is not a derivative. */
  readonly tied: boolean;
}

/** One or more for each operation. */
export const steps: readonly RandomStep[] = [...elementSteps, ...axisSteps, ...productSteps];

/** Programs of 5 to 30 operations: the last step may bring a few more that keep its values small. */
export const randomPrograms: fc.Arbitrary<RandomProgram> = fc
  .noBias(
    fc.array(fc.tuple(fc.nat(steps.length - 1), fc.noShrink(fc.nat())), {
      minLength: 5,
      maxLength: 26,
      size: "max",
    }),
  )
  .map(build);

function build(choices: readonly (readonly [number, number])[]): RandomProgram {
  const builder = new Builder(choices.length);
  for (const [first, seed] of choices) {
    if (builder.full) break;
    builder.reseed(seed);
    // A step that would come too near a decision gives way to the next in the table.
    for (let k = first; !steps[k % steps.length].add(builder); k++);
  }
  return builder;
}

/** The values nothing in the program uses. */
export function endsOf({ nodes }: RandomProgram): number[] {
  const used = new Set(nodes.flatMap(({ args }) => args));
  return [...nodes.keys()].filter((i) => nodes[i].fn && !used.has(i));
}

/** What a program computes: its ends, a loss made of them, and its gradient in the real inputs. */
export function compute(of: RandomProgram, real: DType) {
  const { nodes } = of;
  const inputs = [...nodes.keys()].filter((i) => !nodes[i].fn);
  const wanted = inputs.filter((i) => isReal(nodes[i].value));
  const forward = (given: ReadonlyMap<number, Tensor>) => {
    const made: Tensor[] = [];
    for (const [i, { fn, args }] of nodes.entries()) {
      const operands = args.map((k) => made[k]);
      made.push(fn ? fn(operands, real) : given.get(i)!);
    }
    const ends = endsOf(of).map((i) => made[i]);
    const reals = ends.filter(isReal);
    const lossy = reals.length > 0 ? reals : made.filter(isReal).slice(-1);
    return { loss: lossy.map(weighted).reduce((a, b) => a.add(b)), aux: ends };
  };
  return (...args: Tensor[]) =>
    valueAndGrad((params: Tensor[]) => {
      const given = new Map(inputs.map((i, k) => [i, args[k]]));
      for (const [k, i] of wanted.entries()) given.set(i, params[k]);
      return forward(given);
    })(wanted.map((i) => args[inputs.indexOf(i)]));
}

/** Σ w·x with weights that are exact in float32 and of which no two neighbours are equal. */
function weighted(x: Tensor): Tensor {
  const data = Float64Array.from({ length: x.size }, (_, i) => 0.5 + ((i * 37) % 64) / 64);
  const weights = constant(new NdArray(x.dtype === "float64" ? data : Float32Array.from(data), x.shape));
  return x.mul(weights).sum();
}

export const inputsOf = ({ nodes }: RandomProgram, real: DType): NdArray[] =>
  nodes
    .filter(({ fn }) => !fn)
    .map(({ value }) =>
      isReal(value) && real === "float32" ? new NdArray(Float32Array.from(value.data), value.shape) : value,
    );

export interface TracedProgram {
  readonly program: Program;
  readonly inputs: readonly NdArray[];
  /** The outputs: the results of the program, the gradients, the loss. */
  readonly paths: readonly string[];
}

export const traced = (of: RandomProgram, real: DType): TracedProgram => {
  const inputs = inputsOf(of, real);
  const { program, result } = trace(compute(of, real), inputs);
  return { program, inputs, paths: pathsOf(result) };
};

function pathsOf(result: unknown): string[] {
  const { aux, gradient } = result as { aux: unknown[]; gradient: unknown[] };
  return [...aux.map((_, i) => `value ${i}`), ...gradient.map((_, i) => `gradient ${i}`), "loss"];
}

/** The program without its gradients, as text. */
export function show(of: RandomProgram): string {
  const inputs = inputsOf(of, "float32");
  const { program } = trace((...args: Tensor[]) => {
    const { aux } = compute(of, "float32")(...args);
    return aux;
  }, inputs);
  const values = inputs.map(({ data, shape }, i) => `%${i} = [${shape}] ${[...data].join(" ")}`);
  return `${print(program)}\n${values.join("\n")}`;
}
