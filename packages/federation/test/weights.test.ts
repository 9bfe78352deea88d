// What a false mean price, or a price that no honest site has, can do to the weights of updates.
import { reference } from "@pliant/engine";
import { type Duals, flattenSums, initialClientState, initialParams, networkClient } from "@pliant/federated";
import { decodeSummand, encodeSummand, memoryBlobs, networkOptions } from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { checkMeans } from "../src/run/honest-means.js";
import { inProcess, ledgerWith, sitesOf } from "./in-process.js";
import { specOf, tablesOf } from "./problem.js";

const weigh = (price: number, meanPrice: number, sites = {}): number =>
  networkOptions(specOf({ sites }), reference()).formulation.weigh(
    { prices: [price], relaxations: [0] },
    [1],
    { clients: 4, participants: 4, meanPrice },
  )[0];

/** How long the update of a site is that has no price. */
async function updateAt(meanPrice: number, updateClip?: number): Promise<number> {
  const told = networkOptions(specOf({ training: { solver: "fedAvg", updateClip } }), reference());
  const client = networkClient({ ...told, index: 0, data: tablesOf(4)[0] });
  const seen = { step: 0, exchange: 0, params: initialParams(told), shared: {}, meanPrice, answers: [] };
  const { sums } = (await client.contribute(initialClientState(told), seen as never))!;
  return Math.hypot(...flattenSums(sums!));
}

test("an update is clipped before it is weighted", async () => {
  expect(await updateAt(0)).toBeGreaterThan(0.02);
  expect(await updateAt(0, 0.01)).toBeCloseTo(0.01, 6);
  expect(await updateAt(1, 0.01)).toBeCloseTo(0.005, 6);
});

describe("a false mean price", () => {
  test("leaves every site at least half of what it counts without prices", () => {
    for (const meanPrice of [0, 0.3, 0.5, 1, 2, 39.9])
      expect(weigh(0, meanPrice)).toBeGreaterThanOrEqual(0.5);
    expect(weigh(0, 39, { leastWeight: 0.2 })).toBeCloseTo(0.2, 12);
    // As it is where the mean price is small.
    expect(weigh(0.8, 0.1)).toBeCloseTo(1.7, 12);
  });

  test("raises what a site counts beside another by less than twice what the truth does", () => {
    const beside = (meanPrice: number) => weigh(1.4, meanPrice) / weigh(0, meanPrice);
    for (let lie = 0; lie <= 40; lie += 0.25) expect(beside(lie) / beside(0)).toBeLessThan(2);
  });

  test("does not make a site's update vanish", async () => {
    expect((await updateAt(1)) / (await updateAt(0))).toBeCloseTo(0.5, 3);
  });

  test("in a sum in the open there is nothing to hide, and weights may be negative", () => {
    const { formulation } = networkOptions(specOf({ sums: { kind: "plain" } }), reference());
    const told = { clients: 4, participants: 4, meanPrice: 2 };
    expect(formulation.weigh({ prices: [0], relaxations: [0] }, [1], told)).toEqual([-1]);
  });
});

describe("prices", () => {
  test("stop at the spec's cap, where giving way goes on", () => {
    const { formulation } = networkOptions(specOf({ sites: { priceCap: 0.3, dualRate: 1e6 } }), reference());
    const asking = formulation.revising!.revise({ prices: [0], relaxations: [0] }, [1.51], {
      clients: 4,
      participants: 4,
      meanPrice: 0,
    });
    asking.next();
    const value = asking.next(0.5).value as Duals;
    // h is linear from its slope 0.3 on, so it gives way by all that is missing.
    expect(value.prices[0]).toBeCloseTo(0.3, 9);
    expect(value.relaxations[0]).toBeCloseTo(1, 4);
  });

  test.each([
    ["by the largest loss", {}, 40.1, 40],
    ["by the cap", { priceCap: 3 }, 3.1, 3],
  ])("have a largest mean, %s: beyond it a site lied", (_, sites, mean, most) => {
    const check = (value: number) =>
      checkMeans(specOf({ sites }), 1, ["price before", "price after"], [0, value]);
    check(most);
    expect(() => check(mean)).toThrow(`by the spec each site's is between 0 and ${most}: a site lied.`);
  });

  test("that no honest site can have are detected under the masks, and their site is excluded", async () => {
    const blobs = memoryBlobs();
    const lying = (bytes: Buffer): Buffer => {
      const { words, numbers } = decodeSummand(bytes);
      // A count, updates that were scaled, the prices before and after, the histogram.
      if (numbers.length === 12) numbers[3] += 1000n << 40n;
      return encodeSummand({ words, numbers });
    };
    const ledger = await ledgerWith(sitesOf(5));
    const spec = specOf({ sites: { number: 5 }, training: { rounds: 8 } });
    const { said } = await inProcess(spec, tablesOf(5), {
      ...{ ledger, blobs, leaves: ["c"] },
      siteBlobsOf: (i) => ({
        put: async (bytes) => blobs.put(i === 2 ? lying(bytes) : bytes),
        get: (hash) => blobs.get(hash),
      }),
    });
    expect(said.join()).toContain("c is excluded: it alone was in every sum that failed. The mean price is");
  }, 240_000);
});
