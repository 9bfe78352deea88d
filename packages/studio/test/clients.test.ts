// A federated run in words: what became of its clients, what it costs, and how to train it the other way.
import { describe, expect, test } from "vitest";
import { clientsAnswers, clientsNext, weightName } from "../page/src/words/clients.js";
import { overviewOf } from "../page/src/words/overview.js";
import { standingOf } from "../page/src/words/standing.js";
import type { RunDetail } from "../src/api.js";
import { clientsViolate } from "../src/clients.js";
import { lookAt } from "../src/look.js";

const client = (trainLoss: number, price: number, relaxation = 0) => ({ trainLoss, price, relaxation });
/** The mean is 0.2, and the third is 0.2 above it. */
const losses = [0.1, 0.1, 0.4];
const report = (of: (loss: number) => ReturnType<typeof client>) => ({
  kind: "federated",
  level: 0.05,
  clients: losses.map(of),
});
const violated = report((loss) => client(loss, loss > 0.3 ? 2 : 0));
const resilient = report((loss) => client(loss, loss > 0.3 ? 2 : 0, loss > 0.3 ? 0.15 : 0));
const unconstrained = report((loss) => client(loss, 0));
const every = report(() => client(0.2, 0));
const answers = (of: object) => clientsAnswers(of as never).map(({ answer, tone }) => [answer, tone]);

const look = (of: object | undefined) => {
  const run = { command: "federated", seed: 0, settings: { dataset: "strokes", method: "constrained" } };
  const found = { run, report: of as never, note: { title: "", tags: [], notes: "" }, updated: 0 };
  const { summary } = lookAt("a/b/c", { ...found, standing: () => ({ status: "finished" }) });
  return { summary, path: "runs/a/b/c", again: "runs/a/b/c-again", run, report: of, files: [], spec: null };
};
const detailOf = (of: object) => look(of) as unknown as RunDetail;

describe("clients that must not give way and do", () => {
  test("make the run violated, as red as any other", () => {
    expect(standingOf(detailOf(violated).summary)).toEqual({ words: "violated", tone: "bad" });
    for (const one of [resilient, unconstrained, every]) {
      expect(clientsViolate(one)).toBe(false);
      expect(standingOf(detailOf(one).summary).tone).toBe("none");
    }
  });

  test("are named, with a price that is not known", () => {
    expect(answers(violated)).toEqual([
      ["of each of 3 clients", undefined],
      ["for 2 of 3", "missed"],
      ["client 3 by 0.15", "missed"],
      ["not known", undefined],
    ]);
    expect(overviewOf(detailOf(violated)).headline?.join("")).toBe(
      "1 of 3 clients must not give way and do not hold: asked at most 0.05 above the mean loss, client 3 the most, 0.2 above the mean.",
    );
  });

  test("may be let give way: the same federation, resilient", () => {
    expect(overviewOf(detailOf(violated)).next).toEqual({
      words: "Let clients give way at a cost, and compare.",
      command: "npx pliant reproduce federated --dataset strokes --method resilient --seeds 0 --out runs",
    });
    expect(clientsNext(detailOf(resilient))?.command).toContain("--method constrained");
    expect(clientsNext(detailOf(every))).toBeUndefined();
  });
});

test("a run that has not settled has no prices, and its page calls them multipliers", () => {
  // Training allows the third 0.4 beyond its level, and it is 0.15 beyond.
  const moving = report((loss) => client(loss, 2, loss > 0.3 ? 0.4 : 0.1));
  expect(clientsAnswers(moving as never)[3]).toMatchObject({
    answer: "not known",
    detail: "known once each client gives way by what training allows it",
  });
  expect([violated, moving, resilient, every, null].map((of) => weightName(of as never))).toEqual([
    ...["multiplier", "multiplier", "price", "price", "multiplier"],
  ]);
});

test("clients that give way are named, with the largest price", () => {
  expect(answers(resilient).slice(1)).toEqual([
    ["for 2 of 3", "gave"],
    ["client 3 by 0.15", "gave"],
    ["2", undefined],
  ]);
  expect(answers(every).slice(1, 3)).toEqual([
    ["for 3 of 3", "met"],
    ["Nothing", "met"],
  ]);
  expect(clientsAnswers({ clients: [] })).toEqual([]);
});

test("every other client that is beyond the level is named with how far, as far as there is room", () => {
  const losses = [0.9, 0.8, 0.7, 0.6, 0.55, 0.5, ...Array(14).fill(0)];
  const clients = losses.map((loss) => client(loss, loss > 0 ? 1 : 0));
  const [, , beyond] = clientsAnswers({ level: 0.05, clients });
  expect(beyond).toMatchObject({ question: "What does not hold", answer: "client 1 by 0.647" });
  expect(beyond.detail).toBe(
    "0.698 above the mean; also client 2 by 0.547, client 3 by 0.447, client 4 by 0.347, client 5 by 0.298 and 1 more",
  );
});
