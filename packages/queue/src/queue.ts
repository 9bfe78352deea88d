// A work queue over NATS JetStream. A job is queued once, however often it is requested. Its worker sends heartbeats; without
// them the job goes to another worker. The first worker to finish publishes the outcome under the job's name: a worker that was
// presumed dead and finishes late finds an outcome there, and discards its own.
import { hostname } from "node:os";
import { basename, dirname } from "node:path";
import { JetStreamApiError, type JsMsg } from "@nats-io/jetstream";
import { forget, receive, send, share } from "./folder.js";
import { idOf, type Job, type Outcome } from "./job.js";
import { openStreams, type QueueOptions } from "./server.js";

/** A job that a worker has taken. */
export interface Taken {
  readonly job: Job;
  /** Sends the folder back; returns false if another worker was first. */
  finish(path: string, keep?: (file: string) => boolean): Promise<boolean>;
  /** Reports a failure that would repeat on any worker. */
  fail(sentence: string): Promise<void>;
  /** Returns the job, for another worker to take at once. */
  giveBack(): void;
}

/** An open queue. */
export interface Queue {
  /** Queues the jobs that have no outcome and are not queued yet; returns their number. */
  put(jobs: readonly Job[]): Promise<number>;
  /** Takes up to `most` jobs as soon as there is one, or none after the given milliseconds. */
  take(most: number, wait: number): Promise<Taken[]>;
  /** The number of unfinished jobs, taken or not. */
  waiting(): Promise<number>;
  /** Past outcomes, then new ones as they arrive. */
  outcomes(): Promise<AsyncIterable<Outcome> & { stop(): void }>;
  /** Fetches the folder of a finished job. */
  fetch(outcome: Outcome, path: string): Promise<void>;
  /** Shares a file with workers; equal content has one name and is sent once. */
  share(file: string): Promise<string>;
  /** Fetches a shared file by its name. */
  shared(name: string, path: string): Promise<void>;
  /** Deletes the outcomes of jobs, so that they can be queued again. */
  forget(jobs: readonly Job[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens the queue at nats://HOST:PORT/NAME, and creates it if needed. */
export async function openQueue(address: string, options: QueueOptions = {}): Promise<Queue> {
  const { connection, client, manager, consumer, folders, ...streams } = await openStreams(address, options);
  const { jobs, outcomes, subject, patience } = streams;
  const worker = `${hostname()} ${process.pid}`;

  const known = async (id: string): Promise<Outcome | undefined> =>
    (await manager.streams.getMessage(outcomes, { last_by_subj: subject("outcomes", id) }))?.json<Outcome>();

  /** Whether nothing was under the subject before. */
  const first = async (name: string, value: unknown): Promise<boolean> => {
    try {
      await client.publish(name, JSON.stringify(value), { expect: { lastSubjectSequence: 0 } });
      return true;
    } catch (reason) {
      if (reason instanceof JetStreamApiError && reason.code === wrongLastSequence) return false;
      throw reason;
    }
  };

  const taken = (message: JsMsg): Taken => {
    const job = message.json<Job>();
    const id = idOf(job);
    const alive = setInterval(() => message.working(), patience / 4);
    const done = async (): Promise<void> => {
      clearInterval(alive);
      await message.ackAck();
    };
    return {
      job,
      finish: async (path, keep = () => true) => {
        const files = await send(folders, path, {
          under: `${id}/${message.seq}-${message.info.deliveryCount}`,
          keep,
        });
        const mine = await first(subject("outcomes", id), { job, worker, files } satisfies Outcome);
        if (!mine) await forget(folders, files);
        await done();
        return mine;
      },
      fail: async (failed) => {
        await first(subject("outcomes", id), { job, worker, failed } satisfies Outcome);
        await done();
      },
      giveBack: () => {
        clearInterval(alive);
        message.nak();
      },
    };
  };

  return {
    put: async (wanted) => {
      let added = 0;
      for (const job of wanted) {
        const id = idOf(job);
        if (!(await known(id)) && (await first(subject("jobs", id), job))) added++;
      }
      return added;
    },
    take: async (most, wait) => {
      const found: Taken[] = [];
      const messages = await consumer.fetch({ max_messages: most, expires: Math.max(1000, wait) });
      for await (const message of messages) {
        // The job was queued again just before its first worker reported it done.
        if (await known(idOf(message.json<Job>()))) await message.ackAck();
        else found.push(taken(message));
        if (message.info.pending === 0) messages.stop();
      }
      return found;
    },
    waiting: async () => (await manager.streams.info(jobs)).state.messages,
    outcomes: async () => {
      const all = await client.consumers.get(outcomes);
      const messages = await all.consume();
      return {
        stop: () => messages.stop(),
        [Symbol.asyncIterator]: async function* () {
          for await (const message of messages) yield message.json<Outcome>();
        },
      };
    },
    share: (file) => share(folders, file),
    shared: async (name, path) => receive(folders, { [basename(path)]: name }, dirname(path)),
    fetch: ({ files = {} }, path) => receive(folders, files, path),
    forget: async (unwanted) => {
      for (const id of unwanted.map(idOf)) {
        const outcome = await known(id);
        if (!outcome) continue;
        await forget(folders, outcome.files);
        await manager.streams.purge(outcomes, { filter: subject("outcomes", id) });
      }
    },
    close: async () => {
      await connection.drain();
    },
  };
}

const wrongLastSequence = 10071;
