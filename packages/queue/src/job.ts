// What travels: a job says what is to be done, an outcome what came of it.
import { createHash } from "node:crypto";

/** Plain data: whoever takes it knows by its kind what to do. */
export interface Job<Request = unknown> {
  readonly kind: string;
  readonly asked: Request;
}

/** The same job has the same name, whoever puts it on the queue. */
export const idOf = ({ kind, asked }: Job): string =>
  createHash("sha256")
    .update(JSON.stringify([kind, asked]))
    .digest("hex")
    .slice(0, 32);

/** A finished job: the folder it left, or a sentence that says why there is none. */
export interface Outcome {
  readonly job: Job;
  /** Who did it. */
  readonly worker: string;
  /** Names of the objects that hold the folder's files, by their paths in it. */
  readonly files?: Readonly<Record<string, string>>;
  readonly failed?: string;
}
