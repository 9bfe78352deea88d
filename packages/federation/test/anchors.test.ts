// A site has an anchor for whatever it is shown: the last model it took, or the seed's, and the first scale that was agreed.
import { outcomeOf } from "@pliant/federation";
import { expect, test } from "vitest";
import { crooked, firstModel, movedBy, tableAt } from "./crooked.js";
import { specOf, tablesOf } from "./problem.js";

const spec = specOf({
  sites: { number: 4 },
  training: { rounds: 20, communicationRounds: 1, solver: "fedAvg" },
});
const first = firstModel(spec);
const near = movedBy(first, 1);
const far = movedBy(first, 1e6);

async function refusalsOf(act: (coordinator: ReturnType<typeof crooked>) => Promise<{ refusals: string[] }>) {
  const coordinator = crooked(spec, tablesOf(4));
  const { refusals } = await act(coordinator);
  await coordinator.close();
  return refusals;
}

test("an honest run is taken, also one of which a site has not seen an exchange", async () => {
  const refusals = await refusalsOf(async (coordinator) => {
    const one = await coordinator.sum({ exchange: 0, model: first });
    const two = await coordinator.sum({ exchange: 1, model: near, names: ["a", "b", "c"] });
    const three = await coordinator.sum({ exchange: 2, model: near });
    expect(three.opened).toHaveLength(1);
    return { refusals: [...one.refusals, ...two.refusals, ...three.refusals] };
  });
  expect(refusals).toEqual([]);
});

test("a run does not begin in its second round, where any model would do", async () => {
  const refusals = await refusalsOf((coordinator) => coordinator.sum({ exchange: 0, step: 1, model: far }));
  expect(refusals).toHaveLength(4);
  expect(refusals[0]).toContain("no run comes there");
});

test("a model that is shown and given up is no decoy for another one in the same exchange", async () => {
  const refusals = await refusalsOf(async (coordinator) => {
    await coordinator.sum({ exchange: 0, model: first });
    await coordinator.sum({ exchange: 1, model: near, until: "ready" });
    return coordinator.sum({ exchange: 1, attempt: 2, model: far });
  });
  expect(refusals).toHaveLength(4);
  expect(refusals[0]).toContain("shows a second model in exchange 1");
});

test("an exchange that nobody saw carries the model no further than one exchange does", async () => {
  const refusals = await refusalsOf(async (coordinator) => {
    await coordinator.sum({ exchange: 0, model: first });
    coordinator.outcomes[1] = outcomeOf(1, { attempt: 1, statement: "00".repeat(32), groups: null });
    return coordinator.sum({ exchange: 2, model: far });
  });
  expect(refusals).toHaveLength(4);
  expect(refusals[0]).toContain("moved further than sums.bound, 16, in each of 2 exchanges");
});

test("nor does the solver's second average move further, which local steps follow", async () => {
  const drifting = specOf({
    sites: { number: 4 },
    training: { rounds: 20, communicationRounds: 1, solver: "scaffold" },
  });
  const begins = firstModel(drifting);
  const moved = (by: number) => ({
    update: begins.update,
    shared: movedBy({ ...begins, update: begins.shared }, by).update,
  });
  const coordinator = crooked(drifting, tablesOf(4));
  await coordinator.sum({ exchange: 0, model: begins });
  const honest = await coordinator.sum({ exchange: 1, model: moved(15) as never });
  expect(honest.refusals).toEqual([]);
  const { refusals } = await coordinator.sum({ exchange: 2, model: moved(1e6) as never });
  await coordinator.close();
  expect(refusals).toHaveLength(4);
  expect(refusals[0]).toContain("moved further than sums.bound, 16");
});

const agreedOn = specOf({
  sites: { number: 4, least: 3 },
  training: { rounds: 20, communicationRounds: 1, solver: "fedAvg" },
  data: { features: ["a", "b"], label: "class", classes: ["no", "yes"], scale: "agreed" } as never,
});

test.each([
  ["another than the first", { a: [20, 3], b: [10, 3] }, "another scale of the columns"],
  ["one that tells rows apart", { a: [20, 1e-30], b: [10, 3] }, "that no survey by this spec finds"],
  ["of fewer columns", { a: [10, 3] }, "that no survey by this spec finds"],
])("a scale is agreed once, and is one that a survey finds: not %s", async (_, scale, why) => {
  const tables = Array.from({ length: 4 }, (_, c) => tableAt(c, agreedOn));
  const coordinator = crooked(agreedOn, tables);
  const model = firstModel(agreedOn);
  await coordinator.sum({ exchange: 0, model, agreed: { stage: "survey" } });
  const honest = { stage: "training" as const, scale: { a: [10, 3], b: [10, 3] } as never };
  const one = await coordinator.sum({ exchange: 1, model, agreed: honest });
  const two = await coordinator.sum({
    exchange: 2,
    model,
    agreed: { stage: "training", scale: scale as never },
  });
  await coordinator.close();
  expect(one.refusals).toEqual([]);
  expect(two.refusals).toHaveLength(4);
  expect(two.refusals[0]).toContain(why);
});
