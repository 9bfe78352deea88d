// The queue on a real server: each job done once, whoever dies, comes late or asks twice.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Job, type Outcome, openQueue, type Queue, readAddress, type Taken } from "@pliant/queue";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { natsServer, type Server, startServer } from "./nats-server.js";

test.each([
  ["nats://example.org:4222", { servers: "nats://example.org:4222", name: "runs" }],
  ["nats://example.org/paper", { servers: "nats://example.org", name: "paper" }],
])("%s is a queue", (address, wanted) => {
  expect(readAddress(address)).toEqual(wanted);
});

test.each(["example.org:4222", "http://example.org", "nats://example.org/a/b", "nats://example.org/a b"])(
  "%s is not a queue address, and the message shows one",
  (address) => {
    expect(() => readAddress(address)).toThrow(/^a queue is nats:\/\/HOST:PORT/);
  },
);

describe.skipIf(!natsServer)("on a server", () => {
  let server: Server;
  const folder = mkdtempSync(join(tmpdir(), "queue-"));
  const opened: Queue[] = [];
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    for (const queue of opened) await queue.close();
    server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = async (name: string, patience = 1): Promise<Queue> => {
    const queue = await openQueue(`${server.address}/${name}`, { patience });
    opened.push(queue);
    return queue;
  };
  const jobs = (n: number): Job<number>[] =>
    Array.from({ length: n }, (_, asked) => ({ kind: "count", asked }));
  const written = (name: string, text = name): string => {
    const path = join(folder, name);
    mkdirSync(join(path, "deeper"), { recursive: true });
    writeFileSync(join(path, "report.json"), text);
    writeFileSync(join(path, "deeper", "bytes"), Uint8Array.of(0, 255, 10));
    writeFileSync(join(path, "checkpoint"), "not to be sent");
    return path;
  };
  const withoutCheckpoint = (file: string): boolean => file !== "checkpoint";
  const taking = async (queue: Queue, most = 1): Promise<Taken[]> => queue.take(most, 5000);
  const outcomesOf = async (queue: Queue, n: number): Promise<Outcome[]> => {
    const all = await queue.outcomes();
    const found: Outcome[] = [];
    for await (const outcome of all) if (found.push(outcome) === n) all.stop();
    return found;
  };

  test("a job is queued once: while it waits, while it runs and after it is done", async () => {
    const queue = await open("once");
    expect(await queue.put(jobs(3))).toBe(3);
    expect(await queue.put(jobs(4))).toBe(1);
    const [one] = await taking(queue);
    expect(await queue.put(jobs(4))).toBe(0);
    expect(await one.finish(written("once"))).toBe(true);
    expect(await queue.put(jobs(4))).toBe(0);
    await queue.forget([one.job]);
    expect(await queue.put(jobs(4))).toBe(1);
  });

  test("the folder returns byte by byte, without excluded files", async () => {
    const queue = await open("folders");
    await queue.put(jobs(1));
    const [one] = await taking(queue);
    await one.finish(written("sent"), withoutCheckpoint);
    const [outcome] = await outcomesOf(queue, 1);
    expect(outcome.job).toEqual(jobs(1)[0]);
    expect(Object.keys(outcome.files!).sort()).toEqual(["deeper/bytes", "report.json"]);
    await queue.fetch(outcome, join(folder, "received"));
    expect(readFileSync(join(folder, "received", "report.json"), "utf8")).toBe("sent");
    expect([...readFileSync(join(folder, "received", "deeper", "bytes"))]).toEqual([0, 255, 10]);
  });

  test("a file is shared and fetched by the name of its content", async () => {
    const queue = await open("shared");
    const [one, same] = [written("one", "the same"), written("same", "the same")];
    const name = await queue.share(join(one, "report.json"));
    expect(await queue.share(join(same, "report.json"))).toBe(name);
    expect(await queue.share(join(one, "checkpoint"))).not.toBe(name);
    await queue.shared(name, join(folder, "had", "data.csv"));
    expect(readFileSync(join(folder, "had", "data.csv"), "utf8")).toBe("the same");
  });

  test("jobs arrive in order, several at once on request", async () => {
    const queue = await open("order");
    await queue.put(jobs(5));
    const several = await taking(queue, 3);
    const rest = await taking(queue, 10);
    expect([...several, ...rest].map(({ job }) => job.asked)).toEqual([0, 1, 2, 3, 4]);
    expect(several).toHaveLength(3);
    for (const result of [...several, ...rest]) await result.finish(written("order"));
    expect(await queue.take(1, 1000)).toEqual([]);
  });

  test("heartbeats keep a job beyond the time limit", async () => {
    const [queue, other] = [await open("alive"), await open("alive")];
    await queue.put(jobs(1));
    const [slow] = await taking(queue);
    expect(await other.take(1, 3000)).toEqual([]);
    expect(await slow.finish(written("alive"))).toBe(true);
  });

  test("without heartbeats it goes to another worker, and the late result is discarded", async () => {
    const [queue, other] = [await open("late"), await open("late")];
    await queue.put(jobs(1));
    // As if the process had been stopped: its clock does not tick.
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const [late] = await taking(queue).finally(() => vi.useRealTimers());
    const [second] = await taking(other);
    expect(second.job).toEqual(late.job);
    expect(await second.finish(written("second"), withoutCheckpoint)).toBe(true);
    expect(await late.finish(written("late"), withoutCheckpoint)).toBe(false);
    const [outcome] = await outcomesOf(queue, 1);
    await queue.fetch(outcome, join(folder, "kept"));
    expect(readFileSync(join(folder, "kept", "report.json"), "utf8")).toBe("second");
    expect(await queue.take(1, 1500)).toEqual([]);
  });

  test("a returned job goes to another worker at once; a failed job has a reason and is not tried again", async () => {
    const queue = await open("failed", 60);
    await queue.put(jobs(1));
    const [one] = await taking(queue);
    one.giveBack();
    const [again] = await taking(queue);
    await again.fail("It did not converge.");
    const [{ failed, files }] = await outcomesOf(queue, 1);
    expect([failed, files]).toEqual(["It did not converge.", undefined]);
    expect(await queue.put(jobs(1))).toBe(0);
  });

  test("a server without JetStream, and no server at all, are each reported in one sentence", async () => {
    const plain = await startServer([]);
    try {
      await expect(openQueue(plain.address)).rejects.toThrow(
        /has no JetStream; start it with nats-server -js/,
      );
    } finally {
      plain.stop();
    }
    await expect(openQueue("nats://127.0.0.1:1")).rejects.toThrow(/there is no NATS server at/);
  });
});
