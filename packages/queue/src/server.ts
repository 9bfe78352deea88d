// The streams of a queue on a NATS server: jobs, deleted when done, and outcomes, at most one per job.
import {
  AckPolicy,
  type Consumer,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
} from "@nats-io/jetstream";
import { type ObjectStore, Objm } from "@nats-io/obj";
import { connect, type NatsConnection, nanos } from "@nats-io/transport-node";
import { InputError, NetworkError } from "@pliant/core";

/** How long a worker may be silent. */
export interface QueueOptions {
  /**
   * Seconds without a heartbeat after which a job goes to another worker (default: 300). It must exceed the longest time a worker
   * is blocked, such as by a compilation. The first to open the queue sets it.
   */
  readonly patience?: number;
}

export interface Streams {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly consumer: Consumer;
  readonly folders: ObjectStore;
  /** Names of the streams. */
  readonly jobs: string;
  readonly outcomes: string;
  /** Milliseconds. */
  readonly patience: number;
  subject(kind: "jobs" | "outcomes", id: string): string;
}

/** nats://HOST:PORT/NAME; queues of other names on the server are other queues. */
export function readAddress(address: string): { servers: string; name: string } {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const name = url?.pathname.replace(/^\//, "") || "runs";
  if (!url?.hostname || !["nats:", "tls:"].includes(url.protocol) || !/^[\w-]+$/.test(name))
    throw new InputError(`a queue is nats://HOST:PORT or nats://HOST:PORT/NAME, not ${address}.`);
  url.pathname = "";
  return { servers: url.href, name };
}

export async function openStreams(address: string, { patience = 300 }: QueueOptions): Promise<Streams> {
  const { servers, name } = readAddress(address);
  const connection = await connect({ servers, maxReconnectAttempts: -1, name: "pliant" }).catch(
    (reason: Error) => {
      throw new NetworkError(`there is no NATS server at ${address}: ${reason.message}`);
    },
  );
  try {
    const manager = await jetstreamManager(connection);
    const client = jetstream(connection);
    const subject = (kind: "jobs" | "outcomes", id: string): string => `pliant.${name}.${kind}.${id}`;
    const [jobs, outcomes] = [`pliant-${name}-jobs`, `pliant-${name}-outcomes`];
    await manager.streams.add({
      name: jobs,
      subjects: [subject("jobs", "*")],
      retention: RetentionPolicy.Workqueue,
    });
    await manager.streams.add({
      name: outcomes,
      subjects: [subject("outcomes", "*")],
      max_msgs_per_subject: 1,
    });
    const durable = "workers";
    const known = await manager.consumers.info(jobs, durable).catch(absent);
    if (!known)
      await manager.consumers.add(jobs, {
        durable_name: durable,
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(1000 * patience),
        max_ack_pending: 10_000,
      });
    const { ack_wait = 0 } = (known ?? (await manager.consumers.info(jobs, durable))).config;
    return {
      connection,
      client,
      manager,
      consumer: await client.consumers.get(jobs, durable),
      folders: await new Objm(client).create(`pliant-${name}-folders`),
      jobs,
      outcomes,
      patience: ack_wait / 1e6,
      subject,
    };
  } catch (reason) {
    await connection.close();
    if (reason instanceof Error && /jetstream|no responders|503/i.test(reason.message))
      throw new InputError(`the NATS server at ${address} has no JetStream; start it with nats-server -js.`);
    throw reason;
  }
}

const absent = (reason: unknown): undefined => {
  if (reason instanceof JetStreamApiError && reason.status === 404) return undefined;
  throw reason;
};
