// Several computations of the same kind, such as training runs with different seeds, that run as one. Each has a back end of its own, a
// lane. A call waits until every lane has called or is done; then what they ask of one program is one call of its stacked form, with
// a place for each lane. Where they ask for different programs, the one that costs least goes first, so that all come to meet at what
// costs most. What a lane computes does not depend on how many others are left.
import type { Backend, ProgramOptions } from "../backend.js";
import { optionsKey } from "../compile.js";
import { type Program, programKey } from "../graph.js";
import type { NdArray, Stored } from "../ndarray.js";
import { Put } from "./arrays.js";
import { Stacks } from "./stacks.js";

/** So many lanes over a back end, which stays the caller's to close; a lane that is done is closed, so that none waits for it. */
export function lanes(base: Backend, n: number): Backend[] {
  const meeting = new Meeting(n);
  const known = new Map<string, Stacks>();
  const stacksOf = (program: Program, options: ProgramOptions = {}, states?: number): Stacks => {
    const key = `${states} ${optionsKey(options)}${programKey(program)}`;
    const stacks = known.get(key) ?? new Stacks(program, { base, n, options });
    known.set(key, stacks);
    return stacks;
  };
  const puts = new Map<string, Put[]>();
  const put = (value: NdArray): Put => {
    const key = `${value.dtype} ${value.shape}`;
    const alike = puts.get(key) ?? [];
    puts.set(key, alike);
    const there = alike.find((other) => other.holds(value));
    if (there) return there;
    alike.push(new Put(value, base.put(value)));
    return alike[alike.length - 1];
  };
  return Array.from({ length: n }, (_, lane): Backend => {
    const ask = (stacks: Stacks, inputs: readonly Stored[], steps?: number): Promise<Stored[]> =>
      meeting.ask({ lane, stacks, inputs, steps });
    return {
      name: base.name,
      about: base.about,
      put,
      place: (value) => value,
      async compile(program, options) {
        const stacks = stacksOf(program, options);
        return { run: (inputs) => ask(stacks, inputs), release: () => {} };
      },
      async compileLoop(program, _, options) {
        const stacks = stacksOf(program, options, program.states);
        return {
          run: async ({ steps, states, constants, sliced }) => {
            const found = await ask(stacks, [...states, ...constants, ...sliced], steps);
            return { states: found.slice(0, states.length), records: found.slice(states.length) };
          },
          release: () => {},
        };
      },
      async close() {
        if (meeting.leave(lane)) for (const stacks of known.values()) stacks.giveBack();
      },
    };
  });
}

interface Call {
  readonly lane: number;
  readonly stacks: Stacks;
  readonly inputs: readonly Stored[];
  /** For a loop. */
  readonly steps?: number;
}

interface Waiting extends Call {
  resolve(results: Stored[]): void;
  reject(reason: unknown): void;
}

const costOf = ({ stacks, steps = 1 }: Call): number => stacks.operations * steps;

/** Where lanes wait for each other. */
class Meeting {
  private readonly there: Set<number>;
  private waiting: Waiting[] = [];
  private busy = false;

  constructor(n: number) {
    this.there = new Set(Array.from({ length: n }, (_, lane) => lane));
  }

  ask(call: Call): Promise<Stored[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...call, resolve, reject });
      void this.go();
    });
  }

  /** Whether it was the last. */
  leave(lane: number): boolean {
    const left = this.there.delete(lane);
    void this.go();
    return left && this.there.size === 0;
  }

  private async go(): Promise<void> {
    const called = new Set(this.waiting.map(({ lane }) => lane));
    if (this.busy || called.size === 0 || [...this.there].some((lane) => !called.has(lane))) return;
    const next = this.waiting.reduce((a, b) => (costOf(b) < costOf(a) ? b : a));
    const together = new Map<number, Waiting>();
    for (const call of this.waiting)
      if (call.stacks === next.stacks && call.steps === next.steps && !together.has(call.lane))
        together.set(call.lane, call);
    const calls = [...together.values()];
    this.waiting = this.waiting.filter((call) => !calls.includes(call));
    this.busy = true;
    try {
      const results = await next.stacks.run(calls, this.there, next.steps);
      for (const [i, call] of calls.entries()) call.resolve(results[i]);
    } catch (reason) {
      for (const call of calls) call.reject(reason);
    } finally {
      this.busy = false;
    }
    await this.go();
  }
}
