// Asks the worker. Cancelling asks it to save and stop; one that does not answer is ended, and another takes its place.
import type { Answers, Given, News, Question, WorkerMessage } from "./messages.js";
import { packedRuntime } from "./runtime.js";
import { openThread } from "./thread.js";

interface Waiting {
  resolve(answer: unknown): void;
  reject(reason: Error): void;
  onNews?(news: News): void;
}

/** The run was cancelled. */
export class Cancelled extends Error {}

export interface Client {
  ask<Ask extends keyof Answers>(
    question: Extract<Question, { ask: Ask }>,
    onNews?: (news: News) => void,
  ): Promise<Answers[Ask]>;
  /** Ends what is at work, whatever it does. */
  cancel(): Promise<void>;
}

/** Milliseconds that a run has to save itself. */
const patience = 1500;

export function openClient(): Client {
  let thread = openThread();
  let count = 0;
  const waiting = new Map<number, Waiting>();
  const hear = ({ data }: MessageEvent<WorkerMessage>): void => {
    if ("wants" in data) {
      const asker = thread;
      void packedRuntime().then((runtime) => asker.postMessage({ runtime } satisfies Given));
      return;
    }
    const one = waiting.get(data.id);
    if (!one) return;
    if ("news" in data) {
      one.onNews?.(data.news);
      return;
    }
    waiting.delete(data.id);
    if ("problem" in data) one.reject(new Error(data.problem));
    else one.resolve(data.answer);
  };
  const fail = ({ message }: ErrorEvent): void => {
    for (const one of waiting.values()) one.reject(new Error(message || "The worker ended unexpectedly."));
    waiting.clear();
  };
  const begin = (): void => {
    thread.addEventListener("message", hear);
    thread.addEventListener("error", fail);
  };
  begin();
  const ask: Client["ask"] = (question, onNews) =>
    new Promise((resolve, reject) => {
      const id = count++;
      waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject, onNews });
      thread.postMessage({ id, ...question });
    });
  return {
    ask,
    async cancel() {
      const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), patience));
      if (await Promise.race([ask({ ask: "stop" }), late])) return;
      thread.terminate();
      for (const one of waiting.values()) one.reject(new Cancelled("Cancelled."));
      waiting.clear();
      thread = openThread();
      begin();
    },
  };
}
