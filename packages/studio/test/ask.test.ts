// What a page asks the server for before its script is ready, and who gets the answers.
import { beforeEach, expect, test, vi } from "vitest";
import {
  ask,
  askAhead,
  firstAddresses,
  modelAddress,
  runAddress,
  runsAddress,
  seriesAddress,
} from "../page/src/lib/ask.js";

let asked: string[] = [];
const listeners: (() => void)[] = [];
beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", async (at: string) => {
    asked.push(at);
    if (at.includes("gone")) throw new TypeError("nobody answers");
    return new Response(`${asked.length}`);
  });
  vi.stubGlobal("addEventListener", (_: string, listener: () => void) => listeners.push(listener));
});

const glimpseOf = (name: string, only: string[] = []): string => seriesAddress(name, { glimpse: true, only });

test.each([
  ["", [runsAddress]],
  ["#/runs?search=a", [runsAddress]],
  ["#/run/a%2Fb", [runAddress("a/b"), glimpseOf("a/b")]],
  ["#/run/a?requirement=x", [runAddress("a"), glimpseOf("a", ["x"])]],
  ["#/run/a?tab=model", [runAddress("a"), glimpseOf("a"), modelAddress("a")]],
  ["#/compare", [runsAddress]],
  ["#/compare?run=a&run=b&run=a", firstAddresses(["a", "b"])],
  ["#/compare?sweep=s&run=a", [runsAddress, ...firstAddresses(["a"])]],
  ["#/federation", [runsAddress]],
  ["#/federation/a", [runsAddress, runAddress("a"), glimpseOf("a")]],
  ["#/playground", []],
  ["#/constructor", []],
])("%j asks for what that page shows", (hash, wanted) => {
  askAhead(hash);
  expect(asked).toEqual(wanted);
});

test("an answer is taken once, and whoever asks again gets a new one", async () => {
  askAhead("#/runs");
  expect(await (await ask(runsAddress)).text()).toBe("1");
  expect(asked).toEqual([runsAddress]);
  expect(await (await ask(runsAddress)).text()).toBe("2");
});

test("an answer for another page is not taken for a change", async () => {
  askAhead("#/runs");
  for (const listener of listeners) listener();
  expect(await (await ask(runsAddress)).text()).toBe("2");
});

test("a failure reaches whoever takes the answer, and nobody before", async () => {
  askAhead("#/run/gone");
  await new Promise(setImmediate);
  await expect(ask(runAddress("gone"))).rejects.toThrow("nobody answers");
});

test("an address has room for ten runs, and every run is asked for once", () => {
  const names = Array.from({ length: 23 }, (_, i) => `run ${i}`);
  const addresses = firstAddresses(names).map((at) =>
    new URL(at, "http://localhost").searchParams.getAll("name"),
  );
  expect(addresses.map(({ length }) => length)).toEqual([10, 10, 3]);
  expect(addresses.flat()).toEqual(names);
});
