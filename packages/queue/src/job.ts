// Messages of the queue: a job describes work, an outcome its result.
import { createHash } from "node:crypto";

/** Plain data; its kind tells a worker what to do. */
export interface Job<Request = unknown> {
  readonly kind: string;
  readonly asked: Request;
}

/** Equal jobs have equal names, whoever queues them. */
export const idOf = ({ kind, asked }: Job): string =>
  createHash("sha256")
    .update(JSON.stringify([kind, asked]))
    .digest("hex")
    .slice(0, 32);

/** A finished job: the folder it left, or a sentence that says why there is none. */
export interface Outcome {
  readonly job: Job;
  /** The worker that ran it. */
  readonly worker: string;
  /** Names of the objects that hold the folder's files, by their paths in it. */
  readonly files?: Readonly<Record<string, string>>;
  readonly failed?: string;
}
