// Sums without noise: each is opened once, whole, and over one set of identities; else the differences would be those of one site.
import { identityOf, memoryBlobs, newSecret } from "@pliant/federation";
import { expect, test } from "vitest";
import { firstAgreed } from "../src/spec/stages.js";
import { rowUnit } from "../src/tables/exact-sums.js";
import { nextPrices, noPrices } from "../src/tables/group-prices.js";
import { agreedScale } from "../src/tables/survey.js";
import { crooked, firstModel, tableAt } from "./crooked.js";
import { inProcess } from "./in-process.js";
import { specOf } from "./problem.js";
import { seededBytes } from "./seeded.js";

const sites = 7;
const columns = { features: ["a", "b"], label: "class", classes: ["no", "yes"] };
const surveyed = specOf({
  sites: { number: sites, least: 3 },
  data: { ...columns, scale: "agreed" } as never,
});
const grouped = specOf({
  sites: { number: sites, least: 3, loss: undefined },
  data: {
    ...columns,
    groups: { column: "g", values: ["f", "m"], loss: "mean + 0.1", cost: { alpha: 2 }, dualRate: 1 },
  } as never,
});
const tables = (spec: typeof surveyed, count = sites) =>
  Array.from({ length: count }, (_, c) => tableAt(c, spec));
const survey = { model: firstModel(surveyed), agreed: firstAgreed(surveyed) };
const whole = "asks for halves of a sum that is exact";

test.each([
  ["the survey", surveyed],
  ["counts by group", grouped],
])(
  "%s is not summed in halves: they differ from attempt to attempt, and soon tell each site's",
  async (_, spec) => {
    const coordinator = crooked(spec, tables(spec));
    const shown = { model: firstModel(spec), agreed: firstAgreed(spec) };
    const halves = await coordinator.sum({ exchange: 0, ...shown, suspects: ["a", "b"] });
    const honest = await coordinator.sum({ exchange: 0, attempt: 2, ...shown });
    await coordinator.close();
    expect(halves.opened).toEqual([]);
    expect(halves.refusals.filter((why) => why.includes(whole))).toHaveLength(sites);
    expect(honest.refusals).toEqual([]);
    expect(honest.opened).toHaveLength(1);
  },
);

test("a name that another identity took is another site: no second survey", async () => {
  const coordinator = crooked(surveyed, tables(surveyed, 5));
  const one = await coordinator.sum({ exchange: 0, ...survey });
  const another = identityOf(newSecret(seededBytes("another")));
  coordinator.replace("d", another, tableAt(0, surveyed));
  const two = await coordinator.sum({ exchange: 1, ...survey });
  await coordinator.close();
  expect(
    agreedScale(
      one.opened[0].numbers.map((sum) => sum / 5),
      5,
      surveyed.data,
    ).a[0],
  ).toBeGreaterThan(0);
  expect(two.opened).toEqual([]);
  expect(two.refusals.join()).toContain("With or without d it would tell the difference; start another run.");
});

test("noise in the survey ends the run: what was opened once is not opened without the one at fault", async () => {
  const blobs = memoryBlobs();
  const noisy = {
    ...blobs,
    put: (bytes: Buffer) => blobs.put(Buffer.from(bytes.map((byte, i) => (i < 64 ? byte : byte ^ 0x5a)))),
  };
  const done = await inProcess(surveyed, tables(surveyed), {
    blobs,
    siteBlobsOf: (site) => (site === 2 ? noisy : blobs),
  });
  expect(done.ended).toContain("Such a sum is opened once, and never in parts");
  expect(done.rows).toEqual([]);
  expect(done.sites).toHaveLength(sites);
});

test("sites are told the counts by group of one sum only, whoever comes and goes", () => {
  const groups = grouped.data.groups!;
  const means = (rows: readonly number[]) => [...rows, ...rows].map((sum) => sum / 7 / rowUnit);
  const first = nextPrices(noPrices(groups), means([39, 27, 66]), 7, groups);
  const then = nextPrices(first, means([32, 22, 54]), 7, groups);
  expect(first.rows).toEqual([39, 27, 66]);
  expect([then.rows, then.sites]).toEqual([first.rows, 7]);
});
