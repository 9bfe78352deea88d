// A program of lanes in its stacked forms: one for each choice of inputs that all lanes put alike.
import type { Backend, Executable, LoopExecutable, ProgramOptions, StepProgram } from "../backend.js";
import { executableFor } from "../compile.js";
import type { Lease } from "../executables.js";
import { type Program, topological } from "../graph.js";
import { executableLoop } from "../loop.js";
import type { Stored } from "../ndarray.js";
import { optimize } from "../passes.js";
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

export class Stacks {
  readonly operations: number;
  private readonly forms = new Map<string, Promise<Lease<Executable | LoopExecutable>>>();

  constructor(
    private readonly program: Program | StepProgram,
    private readonly over: Over,
  ) {
    this.operations = topological(program.outputs).length;
  }

  /** The results of each call, in their order. */
  async run(calls: readonly Call[], steps?: number): Promise<Stored[][]> {
    const { n } = this.over;
    const shared = calls[0].inputs.map(
      (x, i) => x instanceof Put && calls.every(({ inputs }) => inputs[i] === x),
    );
    const { executable } = await this.form(shared, steps);
    const entries = (i: number): Entry[] => calls.map(({ lane, inputs }) => ({ lane, array: inputs[i] }));
    const { states = 0, constants = 0 } = this.program as Partial<StepProgram>;
    const sliced = steps === undefined ? shared.length : states + constants;
    const given = await Promise.all(
      calls[0].inputs.map((x, i) =>
        shared[i] ? (x as Put).stored : stacked(entries(i), n, i < sliced ? 0 : 1),
      ),
    );
    const places = (found: readonly Stored[]): ((lane: number) => Stored[]) => {
      const stacks = found.map((stored) => new Stack(stored));
      return (lane) => stacks.map((stack) => new Place(stack, lane));
    };
    if (steps === undefined) {
      const results = places(await (executable as Executable).run(given));
      return calls.map(({ lane }) => results(lane));
    }
    const done = await (executable as LoopExecutable).run({
      steps,
      states: given.slice(0, states),
      constants: given.slice(states, sliced),
      sliced: given.slice(sliced),
    });
    const after = places(done.states);
    const records = await Promise.all(done.records.map((record) => record.read()));
    return calls.map(({ lane }) => [...after(lane), ...records.map((record) => recordOf(record, lane))]);
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
    const { n } = this.over;
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
