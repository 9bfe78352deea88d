// The playground's trainer without a page: it comes to what the library computes, from wherever it stands.
import { solve } from "pliant";
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
  const { send, atRest } = conversation();
  send(description(preset), { afresh: true });
  await expectSame(await atRest(), description(preset));
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

test("what giving way gains falls with the relaxation, and is the price at the equilibrium", async () => {
  const { send, until, atRest } = conversation();
  send(description("overlap"), { afresh: true });
  const { requirements } = await atRest();
  const curve = await until(
    (message): message is Sensitivity =>
      message.kind === "sensitivity" && message.name === "sick missed" && message.x.length > 5,
  );
  expect(curve.x).toEqual([...curve.x].sort((a, b) => a - b));
  for (let i = 1; i < curve.y.length; i++) expect(curve.y[i]).toBeLessThanOrEqual(curve.y[i - 1] + 5e-3);
  const { relaxation, price } = requirements["sick missed"];
  const nearest = curve.x.reduce(
    (best, u, i) => (Math.abs(u - relaxation) < Math.abs(curve.x[best] - relaxation) ? i : best),
    0,
  );
  expect(curve.y[nearest]).toBeCloseTo(price, 2);
});

describe("the captions are true", () => {
  const after = async (index: number): Promise<Told["requirements"]> => {
    const { preset = "overlap", asks = plainAsks } = tour[index];
    const { send, atRest } = conversation();
    send(description(preset, asks), { afresh: true });
    return (await atRest()).requirements;
  };
  test("both requirements give way where the clouds overlap", async () => {
    const standing = await after(1);
    for (const name of names) expect(standing[name].relaxation).toBeGreaterThan(0.05);
  });
  test("dearer to give way: fewer sick missed, at a higher price, and more alarms", async () => {
    const [before, dearer] = [await after(2), await after(3)];
    expect(dearer["sick missed"].reached).toBeLessThan(before["sick missed"].reached);
    expect(dearer["sick missed"].price).toBeGreaterThan(before["sick missed"].price);
    expect(dearer["false alarms"].reached).toBeGreaterThan(before["false alarms"].reached);
  });
  test("insisting holds false alarms at 10%, at a price", async () => {
    const { "false alarms": alarms } = await after(4);
    expect(alarms.reached).toBeCloseTo(0.1, 3);
    expect(alarms.price).toBeGreaterThan(1);
  });
  test("where the clouds are apart nothing costs anything", async () => {
    const { send, atRest } = conversation();
    send(description("apart"), { afresh: true });
    const { requirements } = await atRest();
    for (const name of names) expect(requirements[name].price).toBe(0);
  });
});
