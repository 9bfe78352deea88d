// Errands that many ask for at once.
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { together } from "../src/together.js";

/** An errand that takes a while, counts how often it was begun, and never stands twice at the same time. */
function counted(fail: (time: number) => boolean = () => false) {
  let [begun, at] = [0, 0];
  const ask = together(async () => {
    const time = ++begun;
    expect(++at).toBe(1);
    await setImmediate();
    at--;
    if (fail(time)) throw new Error(`the ${time}th`);
    return time;
  });
  return { ask, begun: () => begun };
}

test("all who ask while it is under way share the next", async () => {
  const { ask, begun } = counted();
  const first = ask();
  const others = Array.from({ length: 100 }, ask);
  expect(await first).toBe(1);
  expect(await Promise.all(others)).toEqual(others.map(() => 2));
  expect(await ask()).toBe(3);
  expect(begun()).toBe(3);
});

test("one that fails says so to those who asked for it, and not to those who ask for the next", async () => {
  const { ask } = counted((time) => time === 1);
  const [first, second] = [ask(), ask()];
  await expect(first).rejects.toThrow("the 1th");
  expect(await second).toBe(2);
});

test("one that is asked for as the first ends, before the next has begun, is the next", async () => {
  const { ask, begun } = counted();
  const first = ask();
  const between = first.then(ask);
  expect(await Promise.all([first, between, ask()])).toEqual([1, 2, 2]);
  expect(begun()).toBe(2);
});

test("never stands twice, whenever it is asked for", async () => {
  const { ask, begun } = counted((time) => time % 3 === 0);
  const asked: Promise<unknown>[] = [];
  for (let i = 0; i < 50; i++) {
    asked.push(ask().catch(() => {}));
    // In every gap there is: before it is over, as it ends, and after.
    asked.push(
      ask()
        .then(ask, ask)
        .catch(() => {}),
    );
    if (i % 3 === 0) await setImmediate();
  }
  await Promise.all(asked);
  expect(begun()).toBeLessThan(100);
});
