// How long a coordinator waits for sites that are not connected.
import { type CoordinatorEvent, coordinatorMachine, digest, type ToSite } from "@pliant/federation";
import { expect, test } from "vitest";
import { cheapCrypto } from "./cheap-crypto.js";

const names = ["a", "b", "c", "d"];
const roster = Object.fromEntries(names.map((name) => [name, digest(name)]));

/** A coordinator whose other sites get ready after 300 ms; returns when it goes on without d. */
function goesOn(connected: (now: number) => readonly string[]): number {
  const shown = {
    step: 0,
    exchange: 0,
    model: digest("model"),
    meanPrice: 0,
    answers: [],
    past: "00".repeat(32),
  };
  const machine = coordinatorMachine(
    {
      ...{ run: "r", spec: digest("spec"), roster, rounds: 1, least: 3, plain: false },
      ...{
        patience: { training: 60_000, answer: 20_000, again: 2_000, away: 5_000 },
        crypto: { ...cheapCrypto, signed: () => true },
      },
    },
    { exchange: 0, attempts: 0, counted: {}, outcomes: [], shown, voids: 0, suspects: [] },
  );
  const asked = new Map<string, ToSite>();
  const tell = (event: CoordinatorEvent) => {
    for (const effect of machine.handle(event))
      if (effect.kind === "send") asked.set(effect.to, effect.message);
  };
  tell({ kind: "start", now: 0 });
  for (let now = 50; now < 70_000; now += 50) {
    tell({ kind: "tick", now, connected: connected(now) });
    if (machine.phase !== "gathering") return now;
    if (now !== 300) continue;
    for (const site of names.slice(0, 3)) {
      const work = asked.get(site)!;
      if (work.kind !== "work") throw new Error(work.kind);
      const { run, exchange, attempt, statement } = work;
      const keys = { mask: digest(`${site} mask`), channel: digest(`${site} channel`), self: digest(site) };
      const member = { site, least: 3, ...keys, signature: "0".repeat(128) };
      tell({
        ...{ kind: "message", from: site, now },
        message: { kind: "ready", run, exchange, attempt, session: "1", member, statement },
      });
    }
  }
  throw new Error("It waits for ever.");
}

test("a site that is connected is waited for until patience ends", () => {
  expect(goesOn(() => names)).toBe(60_000);
});

test("one that is cut off is waited for as long again as the others took", () => {
  expect(goesOn((now) => (now < 200 ? names : names.slice(0, 3)))).toBe(600);
});

test("one that comes back within that time is waited for", () => {
  expect(goesOn((now) => (now < 200 || now > 500 ? names : names.slice(0, 3)))).toBe(60_000);
});

test("one that a coordinator has not seen since it was started has the time of those that are away", () => {
  expect(goesOn(() => names.slice(0, 3))).toBe(5_050);
});
