// pliant work: takes jobs from a queue, one after another, on any number of machines, and sends run folders back.
import { setTimeout } from "node:timers/promises";
import { InputError, PliantError } from "@pliant/core";
import { type Backend, EngineError } from "@pliant/engine";
import { type Device, open } from "@pliant/engine/device";
import { Interrupted, interrupt, progress } from "@pliant/learn/runs";
import { openQueue, type Queue, type Taken } from "@pliant/queue";
import { readArgs } from "../arguments.js";
import { deadline, readDevice, shared } from "../options.js";
import { doReproduce, reproduceKind } from "./reproduce.js";
import { doTrain, trainKind } from "./sweep.js";

/** The resources of a worker. */
export interface AtHand {
  readonly backend: Backend;
  readonly device: Device;
  readonly queue: Queue;
  /** Holds the run folders. */
  readonly out: string;
  readonly until?: number;
}

/** Runs jobs of one kind together, and finishes, fails or returns each. */
type Doing = (taken: readonly Taken[], hand: AtHand) => Promise<void>;
const kinds: Record<string, Doing> = { [reproduceKind]: doReproduce, [trainKind]: doTrain };

const options = {
  device: shared.device,
  out: {
    type: "string",
    value: "DIR",
    default: "runs/work",
    about: "the folder of runs in progress",
  },
  minutes: {
    type: "string",
    value: "N",
    about: "stop after so many minutes; unfinished runs go back to the queue",
  },
  json: shared.json,
  once: { type: "boolean", default: false, about: "end when the queue is empty" },
} as const;

export async function workCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "work nats://HOST:PORT",
    about: "Takes runs from a queue, one after another, and sends their folders back, until it is stopped.",
    options,
  });
  const [address, ...more] = positionals;
  if (address === undefined || more.length > 0)
    throw new InputError("name one queue: pliant work nats://HOST:PORT.");
  const until = deadline(values.minutes);
  const device = readDevice(values.device);
  const queue = await openQueue(address);
  const backend = await open(device);
  const interrupted = interrupt({ until });
  const line = progress();
  let done = 0;
  try {
    while (true) {
      await interrupted.check(() => "stopped between two runs.");
      const taken = await queue.take(together(backend), 2000);
      if (taken.length === 0) {
        if (values.once && (await queue.waiting()) === 0) break;
        line.show(`waiting for jobs at ${address}`);
        continue;
      }
      await doAll(taken, { backend, device, queue, out: values.out, until });
      done += taken.length;
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    line.show(error.message);
  } finally {
    line.end();
    interrupted.release();
    // Returned jobs are still being sent.
    await setTimeout(0);
    await queue.close();
    await backend.close();
  }
  console.log(values.json ? JSON.stringify({ jobs: done }) : `Took ${done} jobs.`);
}

/** A GPU trains similar runs side by side. */
const together = ({ name }: Backend): number => (name === "xla" ? 10 : 1);

async function doAll(taken: readonly Taken[], hand: AtHand): Promise<void> {
  for (const kind of new Set(taken.map(({ job }) => job.kind))) {
    const own = taken.filter(({ job }) => job.kind === kind);
    const doing = kinds[kind];
    try {
      if (!doing) throw new PliantError(`a worker's pliant knows no jobs of the kind ${kind}.`);
      await doing(own, hand);
    } catch (error) {
      // A job's own failure is reported to its requester; a failure of this worker returns the job to the queue.
      const its = error instanceof PliantError || error instanceof EngineError;
      const mine = error instanceof Interrupted || error instanceof InputError;
      for (const job of own)
        if (its && !mine) await job.fail((error as Error).message);
        else job.giveBack();
      if (mine || !its) throw error;
    }
  }
}
