// A program of lanes in its stacked forms: one for each choice of inputs that all lanes put alike. Lanes that are done leave their
// places idle until what is computed there for nothing comes to what narrower forms cost to make.
import type { Backend, Executable, LoopExecutable, ProgramOptions, StepProgram } from "../backend.js";
import { executableFor } from "../compile.js";
import type { Lease } from "../executables.js";
import { type Program, topological } from "../graph.js";
import { executableLoop } from "../loop.js";
import type { Stored } from "../ndarray.js";
import { optimize } from "../passes.js";
import { range } from "../shape.js";
import { input } from "../tensor.js";
import { stackedOutputs } from "../vmap.js";
import { type Entry, Place, Put, recordOf, Stack, stacked } from "./arrays.js";

interface Call {
  readonly lane: number;
  readonly inputs: readonly Stored[];
}

interface Over {
  readonly base: Backend;
  readonly n: number;
  readonly options: ProgramOptions;
}

/** Making an operation of a form costs the time of computing so many elements. */
const elementsToMake = 1e6;

export class Stacks {
  readonly operations: number;
  /** Elements that are computed for a lane. */
  private readonly elements: number;
  /** The lanes that have places, in the order of these. */
  private seats: readonly number[];
  /** Elements computed so far at places whose lanes are done. */
  private idle = 0;
  private readonly forms = new Map<string, Promise<Lease<Executable | LoopExecutable>>>();

  constructor(
    private readonly program: Program | StepProgram,
    private readonly over: Over,
  ) {
    const nodes = topological(program.outputs);
    this.operations = nodes.length;
    this.elements = nodes.reduce((sum, { size }) => sum + size, 0);
    this.seats = range(over.n);
  }

  /** The results of each call, in their order; of all lanes, which are not done. */
  async run(calls: readonly Call[], there: ReadonlySet<number>, steps?: number): Promise<Stored[][]> {
    this.narrow(there, steps);
    const n = this.seats.length;
    const shared = calls[0].inputs.map(
      (x, i) => x instanceof Put && calls.every(({ inputs }) => inputs[i] === x),
    );
    const { executable } = await this.form(shared, steps);
    const places = calls.map(({ lane }) => this.seats.indexOf(lane));
    const entries = (i: number): Entry[] =>
      calls.map(({ inputs }, k) => ({ at: places[k], array: inputs[i] }));
    const { states = 0, constants = 0 } = this.program as Partial<StepProgram>;
    const sliced = steps === undefined ? shared.length : states + constants;
    const given = await Promise.all(
      calls[0].inputs.map((x, i) =>
        shared[i] ? (x as Put).stored : stacked(entries(i), n, i < sliced ? 0 : 1),
      ),
    );
    const parted = (found: readonly Stored[]): ((at: number) => Stored[]) => {
      const stacks = found.map((stored) => new Stack(stored));
      return (at) => stacks.map((stack) => new Place(stack, at));
    };
    if (steps === undefined) return places.map(parted(await (executable as Executable).run(given)));
    const done = await (executable as LoopExecutable).run({
      steps,
      states: given.slice(0, states),
      constants: given.slice(states, sliced),
      sliced: given.slice(sliced),
    });
    const after = parted(done.states);
    const records = await Promise.all(done.records.map((record) => record.read()));
    return places.map((at) => [...after(at), ...records.map((record) => recordOf(record, at))]);
  }

  /**
   * Two places are kept: one alone is no stack to a runtime, and rounded differently. Where all steps are one executable, it takes
   * far longer to make than it wastes.
   */
  private narrow(there: ReadonlySet<number>, steps = 1): void {
    const { base } = this.over;
    const [idle, busy] = [false, true].map((is) => this.seats.filter((lane) => there.has(lane) === is));
    const needless = Math.min(idle.length, this.seats.length - 2);
    if (base.compileLoop || needless <= 0) return;
    if (this.idle >= elementsToMake * this.operations) {
      this.giveBack();
      [this.seats, this.idle] = [[...busy, ...idle.slice(needless)], 0];
    } else this.idle += needless * this.elements * steps;
  }

  private form(shared: readonly boolean[], steps?: number) {
    const { base, options } = this.over;
    const key = `${shared.map(Number).join("")} ${base.compileLoop ? steps : ""}`;
    const known = this.forms.get(key);
    if (known) return known;
    const program = this.stackedProgram(shared);
    const made =
      steps === undefined
        ? executableFor(program, base, options)
        : executableLoop({ ...(this.program as StepProgram), ...program }, steps, base, options);
    this.forms.set(key, made);
    made.catch(() => this.forms.delete(key));
    return made;
  }

  private stackedProgram(shared: readonly boolean[]): Program {
    const { inputs, outputs } = this.program;
    const n = this.seats.length;
    const given = inputs.map((x, i) =>
      shared[i] ? x : input(`lanes${i}`, { shape: [n, ...x.shape], dtype: x.dtype }),
    );
    const stacks = new Map(inputs.flatMap((x, i) => (shared[i] ? [] : [[x, given[i]] as const])));
    return optimize({ inputs: given, outputs: stackedOutputs(outputs, stacks, n) });
  }

  giveBack(): void {
    for (const form of this.forms.values()) void form.then((lease) => lease.giveBack()).catch(() => {});
    this.forms.clear();
  }
}
