// The precision of a run: set on the command line, kept in run.json, refused if the device does not support it.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "@pliant/core";
import { xla } from "@pliant/engine/xla";
import { afterAll, expect, test } from "vitest";
import { trainCommand } from "../src/training/train.js";
import { printed } from "./fixtures/output.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-precision-"));
afterAll(() => rmSync(folder, { recursive: true }));

const spec = join(folder, "spec.yaml");
const rows = Array.from({ length: 120 }, (_, i) => {
  const x = Math.sin(i * 1.7);
  return `${x.toFixed(3)},${Math.cos(i).toFixed(3)},${i % 2 === 0 ? "A" : "B"},${x + 0.4 * Math.cos(5 * i) > 0 ? "yes" : "no"}`;
});
writeFileSync(join(folder, "rows.csv"), ["x,z,group,bought", ...rows].join("\n"));
writeFileSync(
  spec,
  `data: { file: rows.csv, target: bought, positive: yes, columns: { group: group } }
model: { kind: mlp, hidden: [4] }
requirements: { misses: { metric: false-negative-rate, by: group, level: 0.2 } }
decision: { threshold: 0.5 }
budget: { steps: 20 }
`,
);
const train = (out: string, ...args: string[]) =>
  printed(() => trainCommand([spec, "--out", join(folder, out), "--no-insist", ...args]));
const precisionOf = (out: string): string =>
  JSON.parse(readFileSync(join(folder, out, "run.json"), "utf8")).precision;

test("a device that only computes in float32 records float32", async () => {
  const asked = train("refused", "--device", "cpu", "--precision", "bf16");
  await expect(asked).rejects.toThrow(InputError);
  await expect(asked).rejects.toThrow("--precision bf16 is for a GPU; this device computes in float32.");
  expect(existsSync(join(folder, "refused"))).toBe(false);
  await expect(train("refused", "--precision", "f16")).rejects.toThrow(
    "--precision must be one of float32, tf32, bf16, not f16.",
  );
});

test("float32 is the default, and a resumed run keeps its precision", async () => {
  await train("plain", "--device", "cpu");
  expect(precisionOf("plain")).toBe("float32");
  await expect(train("plain", "--resume", "--precision", "bf16")).rejects.toThrow(
    "the run was started with --precision float32, not bf16; resume it without --precision, or start another.",
  );
});

const platform = await xla({ preallocate: false }).then(
  async (backend) => {
    await backend.close();
    return backend.client.platform;
  },
  () => undefined,
);
const gpu = platform !== undefined && platform !== "cpu";
if (!gpu) console.log("Skipped: there is no GPU here, so no device with a choice of precision.");

test.skipIf(!gpu)("a GPU uses the requested precision", async () => {
  await train("bf16", "--device", "cuda", "--precision", "bf16");
  expect(precisionOf("bf16")).toBe("bf16");
});
