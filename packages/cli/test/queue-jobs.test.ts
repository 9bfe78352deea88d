// Jobs that a worker takes together: a failure of one is reported for that one only.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { items as lab } from "@pliant/lab";
import type { Taken } from "@pliant/queue";
import { afterAll, expect, test } from "vitest";
import { doReproduce } from "../src/queue/reproduce.js";

const out = mkdtempSync(join(tmpdir(), "pliant-jobs-"));
afterAll(() => rmSync(out, { recursive: true }));

test("a run that is unknown to this version fails alone; the others continue", async () => {
  const [known] = lab.planOf(lab.items, "small");
  const came: string[] = [];
  const taken = (folder: string): Taken => ({
    job: { kind: "reproduce", asked: { size: "small", folder } },
    finish: async () => Boolean(came.push(`${folder} done`)),
    fail: async (sentence) => void came.push(`${folder} failed: ${sentence}`),
    giveBack: () => void came.push(`${folder} given back`),
  });
  // No time is left, so nothing is trained.
  await doReproduce([taken(known.folder), taken("of-tomorrow")], { out, until: 0 } as never);
  expect(came).toEqual([
    "of-tomorrow failed: a worker's pliant knows no run of-tomorrow; it may be an older one.",
    `${known.folder} given back`,
  ]);
});
