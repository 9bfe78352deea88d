// A spec that names its table by an address: trained, used and trained again from the run's own copy of the spec.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  cardOf,
  evaluateRun,
  insistOn,
  inspect,
  predictions,
  readRun,
  readSpec,
  trainedModel,
  trainInFolder,
} from "@pliant/train";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "pliant-addresses-"));
const lines = Array.from({ length: 90 }, (_, i) => `${i % 7},${(i * 5) % 11},${i % 7 > 2 ? "yes" : "no"}`);
const csv = ["a,b,y", ...lines, ""].join("\n");
const server = createServer((request, response) => {
  if (/^\/rows\.csv($|\?)/.test(request.url ?? "")) response.end(csv);
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

it("keeps no password and no value of a query in the run folder, and asks for the whole address to read it again", async () => {
  const whole = `${address.replace("//", "//USERNAME:p@SSWORD@")}?X-Amz-Signature=SIGNED&part=`;
  const spec = join(folder, "secret.yaml");
  writeFileSync(
    spec,
    `# before: ${whole}0\ndata: { file: "${whole}train", test: "${whole}test", target: y, positive: yes }\nmodel: { kind: linear }\nrequirements: { wrong: { metric: error, level: 0.4 } }\n`,
  );
  const out = join(folder, "secret");
  const shown: string[] = [];
  const progress = { show: (line: string) => void shown.push(line), end: () => {} };
  const options = { name: "secret", out, device: "cpu" as const, progress };
  const { report } = await trainInFolder(readSpec(spec), options);
  const written = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath ?? entry.path, entry.name), "latin1"));
  expect(written.length).toBeGreaterThan(3);
  const texts = [
    ...written,
    ...shown,
    JSON.stringify(cardOf(readRun(out).asked, report)),
    JSON.stringify(report),
  ];
  const evaluation = await evaluateRun(out, `${whole}test`);
  expect(
    [...texts, JSON.stringify(evaluation)].filter((text) => /USERNAME|SSWORD|SIGNED/.test(text)),
  ).toEqual([]);

  const kept = `${address.replace("//", "//…@")}?X-Amz-Signature=…&part=…`;
  expect(readSpec(join(out, "spec.yaml")).spec.data.file).toBe(kept);
  const resumed = () => trainInFolder(readSpec(join(out, "spec.yaml")), { ...options, resume: true });
  await expect(resumed()).rejects.toThrow(`${kept} is kept without its password`);
  await expect(insistOn(out, "wrong")).rejects.toThrow("PLIANT_ADDRESSES");
  const other = address.replace("//", "//you:OTHER@");
  vi.stubEnv("PLIANT_ADDRESSES", `${other} ${whole.replace("SIGNED", "FRESH")}train`);
  try {
    expect((await resumed()).report.test).toEqual(report.test);
  } finally {
    vi.unstubAllEnvs();
  }
});
