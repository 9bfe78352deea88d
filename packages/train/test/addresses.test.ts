// A spec that names its table by an address: trained, used and trained again from the run's own copy of the spec.
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { evaluateRun, inspect, predictions, readSpec, trainedModel, trainInFolder } from "@pliant/train";
import { afterAll, beforeAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "pliant-addresses-"));
const lines = Array.from({ length: 90 }, (_, i) => `${i % 7},${(i * 5) % 11},${i % 7 > 2 ? "yes" : "no"}`);
const csv = ["a,b,y", ...lines, ""].join("\n");
const server = createServer((request, response) => {
  if (request.url === "/rows.csv") response.end(csv);
  else response.writeHead(404).end();
});
let address: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rows.csv`;
});
afterAll(() => server.close());

it("trains, evaluates and predicts from it, and the run keeps the address and the sum of what it read", async () => {
  const spec = join(folder, "spec.yaml");
  writeFileSync(
    spec,
    `data: { file: "${address}", target: y, positive: yes }\nmodel: { kind: linear }\nrequirements: {}\n`,
  );
  const out = join(folder, "run");
  const progress = { show: () => {}, end: () => {} };
  const { report } = await trainInFolder(readSpec(spec), { name: "run", out, device: "cpu", progress });
  expect(report.test.examples).toBe(27);
  const sum = createHash("sha256").update(csv).digest("hex");
  expect(readFileSync(join(out, "run.json"), "utf8")).toContain(sum);
  expect(readSpec(join(out, "spec.yaml")).spec.data.file).toBe(address);
  expect((await evaluateRun(out, address)).examples).toBe(90);
  expect(await predictions(trainedModel(out), address)).toHaveLength(90);
  expect((await inspect(address)).rows).toBe(90);
});

it("names the address that does not answer", async () => {
  const spec = join(folder, "missing.yaml");
  writeFileSync(
    spec,
    `data: { file: "${address}x", target: y }\nmodel: { kind: linear }\nrequirements: {}\n`,
  );
  const progress = { show: () => {}, end: () => {} };
  const run = trainInFolder(readSpec(spec), { name: "x", out: join(folder, "x"), device: "cpu", progress });
  await expect(run).rejects.toThrow(`${address}x cannot be read: the server answered 404 Not Found.`);
});
