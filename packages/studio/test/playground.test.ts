// The playground's trainer without a page: it comes to what the library computes, from wherever it stands.
import { perturbation, solve } from "@pliant/core";
import { describe, expect, test } from "vitest";
import { presets } from "../page/src/playground/presets.js";
import {
  type Ask,
  type Description,
  type Name,
  names,
  optionsFor,
  problemOf,
} from "../page/src/playground/problem.js";
import { plainAsks, tour } from "../page/src/playground/tour.js";
import {
  type Asked,
  createTrainer,
  type Message,
  type Sensitivity,
  type Told,
} from "../page/src/playground/trainer.js";

/** Sends descriptions one after another and hears the last answer to each. */
function conversation() {
  let hear: (message: Message) => void = () => {};
  const ask = createTrainer((message) => hear(message));
  let id = 0;
  const send = (description: Description, { afresh = false } = {}): void => {
    id += 1;
    ask({ id, description, afresh } satisfies Asked);
  };
  const until = <T extends Message>(wanted: (message: Message) => message is T): Promise<T> =>
    new Promise((done, fail) => {
      hear = (message) => {
        if (message.kind === "failed") fail(new Error(message.message));
        if (message.id === id && wanted(message)) done(message);
      };
    });
  const atRest = () => until((message): message is Told => message.kind === "trained" && message.done);
  return { send, until, atRest };
}

const description = (preset: string, asks: Readonly<Record<Name, Ask>> = plainAsks): Description => ({
  points: presets[preset].points(),
  asks,
});

/** What a training from the beginning comes to, once for all who ask. */
const rested = new Map<string, Promise<Told>>();
function atRestOf(of: Description): Promise<Told> {
  const key = JSON.stringify(of);
  const train = (): Promise<Told> => {
    const { send, atRest } = conversation();
    send(of, { afresh: true });
    return atRest();
  };
  const told = rested.get(key) ?? train();
  rested.set(key, told);
  return told;
}

async function expectSame(told: Told, of: Description): Promise<void> {
  const { report } = await solve(problemOf(of), optionsFor(of.points));
  expect(told.certified).toBe(true);
  expect(report.certificate.holds).toBe(true);
  for (const name of names) {
    const { relaxation, price } = report.requirements[name];
    expect(Math.abs(told.requirements[name].relaxation - relaxation)).toBeLessThan(2e-3);
    expect(Math.abs(told.requirements[name].price - price)).toBeLessThan(1e-2);
  }
}

test.each(Object.keys(presets))("on the set %s it comes to the library's numbers", async (preset) => {
  await expectSame(await atRestOf(description(preset)), description(preset));
});

test("a setting that changes is taken up where training stands, and the latest counts", async () => {
  const { send, atRest } = conversation();
  send(description("overlap"), { afresh: true });
  await atRest();
  for (const alpha of [2, 4, 6])
    send(description("overlap", { ...plainAsks, "sick missed": { level: 0.1, alpha, hard: false } }));
  const last = description("overlap", {
    ...plainAsks,
    "sick missed": { level: 0.08, alpha: 8, hard: false },
  });
  send(last);
  await expectSame(await atRest(), last);
});

test("the gain of giving way falls with the relaxation, is the price at the equilibrium and equals the library's elsewhere", async () => {
  const { send, until, atRest } = conversation();
  const of = description("overlap", { ...plainAsks, "sick missed": { level: 0.1, alpha: 4, hard: false } });
  send(of, { afresh: true });
  const { requirements } = await atRest();
  const curve = await until(
    (message): message is Sensitivity =>
      message.kind === "sensitivity" && message.name === "sick missed" && message.x.length > 5,
  );
  expect(curve.x).toEqual([...curve.x].sort((a, b) => a - b));
  for (let i = 1; i < curve.y.length; i++) expect(curve.y[i]).toBeLessThanOrEqual(curve.y[i - 1] + 5e-3);
  const { relaxation, price } = requirements["sick missed"];
  expect(curve.y[curve.x.indexOf(relaxation)]).toBe(price);
  const last = curve.x.length - 1;
  const { points } = await perturbation(problemOf(of), "sick missed", [curve.x[last]], optionsFor(of.points));
  expect(points[0].certificate.holds).toBe(true);
  expect(Math.abs(curve.y[last] - points[0].price)).toBeLessThan(1e-2);
});

describe("the captions say what is counted", () => {
  type Numbers = Told["requirements"];
  const atCaption = async (index: number): Promise<Numbers> =>
    (await atRestOf(description(tour[index].preset, tour[index].asks))).requirements;
  const numbersOf = (strict: readonly [number, number], price = 1): Numbers =>
    Object.fromEntries(
      names.map((name, i) => [name, { strict: strict[i], price, relaxation: 0.1, loss: 0.2 }]),
    ) as Numbers;

  test("each changes what is asked, or of whom", () => {
    for (const [i, { preset, asks }] of tour.entries())
      if (i > 0) expect({ preset, asks }).not.toEqual({ preset: tour[i - 1].preset, asks: tour[i - 1].asks });
  });

  test.each(tour.map(({ title }, i) => [title, i] as const))("%s", async (_, i) => {
    const { asks, claim, preset } = tour[i];
    const now = await atCaption(i);
    const before = i > 0 && tour[i - 1].preset === preset ? await atCaption(i - 1) : undefined;
    const said = claim({ asks, now, before });
    const known = [now, before ?? now].flatMap((numbers) =>
      names.map((name) => `${(100 * numbers[name].strict).toFixed(1)}%`),
    );
    for (const share of said.match(/[\d.]+%/g) ?? []) expect(known).toContain(share);
    for (const [, at] of said.matchAll(/price of (\d+\.\d+)/g))
      expect(names.map((name) => now[name].price.toFixed(2))).toContain(at);
  });

  test("the other way round they say the opposite", () => {
    const opposites = [
      [/both give way/, /both hold/],
      [/rose from/, /fell from/],
      [/it does not hold/, /it holds/],
    ] as const;
    const [few, many] = [numbersOf([0.05, 0.05], 1), numbersOf([0.4, 0.4], 3)];
    for (const { asks, claim } of tour) {
      const [up, down] = [claim({ asks, now: many, before: few }), claim({ asks, now: few, before: many })];
      const said = opposites.filter(([more, less]) => more.test(up) && less.test(down));
      expect([up, said.length]).toEqual([up, 1]);
      for (const [more, less] of opposites) expect([less.test(up), more.test(down)]).toEqual([false, false]);
    }
  });

  test("one that holds and one that gives way are distinguished", () => {
    const { asks, claim } = tour[1];
    expect(claim({ asks, now: numbersOf([0.05, 0.2]) })).toContain("the first holds, the second gives way");
    expect(claim({ asks, now: numbersOf([0.2, 0.05]) })).toContain("the first gives way, the second holds");
  });
});

test("where the clouds are apart nothing costs anything", async () => {
  const { requirements } = await atRestOf(description("apart"));
  for (const name of names) expect(requirements[name].price).toBe(0);
});
