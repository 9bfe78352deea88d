// pliant federate, as people use it: processes of their own on this machine.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NdArray } from "@pliant/engine";
import { decodePlain } from "@pliant/federation";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { afterAll, describe, expect, test } from "vitest";
import { startPostgres } from "../../federation/test/postgres-server.js";
import { natsServer, startServer as startNats } from "../../queue/test/nats-server.js";
import { builtCommand } from "./fixtures/command.js";
import { pliant as said } from "./fixtures/said.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-federate-"));
const nats = natsServer ? await startNats([]) : undefined;
const postgres = await startPostgres();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  nats?.stop();
  await postgres?.stop();
});
const bin = await builtCommand();
const pliant = (...args: string[]) =>
  spawnSync(process.execPath, [bin, "federate", ...args], { encoding: "utf8", timeout: 280_000 });

test("the demo runs five sites, one of which gives way, and equals the simulator to the bit", () => {
  const out = join(folder, "demo");
  const { status, stdout, stderr } = pliant(
    "demo",
    "--sites",
    "5",
    "--rounds",
    "6",
    "--seed",
    "23",
    "--out",
    out,
    "--json",
  );
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const report = JSON.parse(stdout);
  expect(Object.keys(report)).toEqual(["rounds", "finished", "equalsSimulator", "sites"]);
  expect(report).toMatchObject({ rounds: 6, finished: { sites: 5, of: 5 }, equalsSimulator: true });
  const given = report.sites.map(({ relaxation }: { relaxation: number }) => relaxation);
  expect(given.slice(0, 4)).toEqual([0, 0, 0, 0]);
  expect(given[4]).toBeGreaterThan(0.05);
  // The relaxation of a site is nowhere in the coordinator's folder.
  const seen =
    readFileSync(join(out, "coordinator", "report.json"), "utf8") +
    readFileSync(join(out, "coordinator", "ledger.log"), "latin1");
  expect(seen).not.toContain(String(report.sites[4].relaxation));
  expect(existsSync(join(out, "hills", "site.json"))).toBe(true);

  const shown = pliant("status", join(out, "coordinator"));
  expect(shown.stdout).toContain("demo: 6 of 6 rounds, 30 of 30 exchanges.");
  expect(shown.stdout).toContain("counted 30 times, last in exchange 29");

  const again = pliant("demo", "--out", out);
  expect([again.status, again.stderr.trim()]).toEqual([
    2,
    `pliant federate: ${out} has a demo already; choose another --out.`,
  ]);
});

test("its model exports as ONNX and predicts like the final parameters", async () => {
  const [coordinator, file] = [join(folder, "demo", "coordinator"), join(folder, "model.onnx")];
  const { stdout } = spawnSync(process.execPath, [bin, "export", coordinator, file], { encoding: "utf8" });
  expect(stdout).toContain("Inputs of type float64 [batch]: marker, age.");
  const { classes } = JSON.parse(readFileSync(join(folder, "model.json"), "utf8"));
  expect(classes).toEqual(["well", "sick"]);

  const rows = [
    [0.3, -1.2],
    [-2, 0.5],
    [1.5, 1.5],
  ];
  const column = (k: number) =>
    new Tensor(
      "float64",
      Float64Array.from(rows, (row) => row[k]),
      [3],
    );
  const session = await InferenceSession.create(file);
  const found = await session.run({ marker: column(0), age: column(1) });
  const layers = decodePlain<{ weight: NdArray; bias: NdArray }[]>(
    readFileSync(join(coordinator, "model.json"), "utf8"),
  );
  const affine = (x: number[], { weight, bias }: (typeof layers)[number]) =>
    Array.from(bias.data, (b, j) => x.reduce((sum, v, i) => sum + v * weight.data[i * bias.size + j], b));
  for (const [i, row] of rows.entries()) {
    const [no, yes] = affine(affine(row, layers[0]).map(Math.tanh), layers[1]);
    const chance = 1 / (1 + Math.exp(no - yes));
    expect(found.probabilities.data[2 * i + 1]).toBeCloseTo(chance, 5);
    expect(found.label.data[i]).toBe(chance > 0.5 ? "sick" : "well");
  }

  // The same model of a spec that has the scale of a feature takes it as the tables have it.
  const scaled = join(folder, "scaled");
  const { spec, ...rest } = JSON.parse(readFileSync(join(coordinator, "run.json"), "utf8"));
  const told = { ...spec, data: { ...spec.data, scale: { age: [50, 20] } } };
  mkdirSync(scaled);
  writeFileSync(join(scaled, "run.json"), JSON.stringify({ ...rest, spec: told }));
  for (const name of ["model.json", "federation.json"])
    copyFileSync(join(coordinator, name), join(scaled, name));
  const other = join(folder, "scaled.onnx");
  expect(spawnSync(process.execPath, [bin, "export", scaled, other]).status).toBe(0);
  const years = new Tensor(
    "float64",
    Float64Array.from(rows, (row) => 50 + 20 * row[1]),
    [3],
  );
  const same = await (await InferenceSession.create(other)).run({ marker: column(0), age: years });
  for (const [i, chance] of found.probabilities.data.entries())
    expect(same.probabilities.data[i]).toBeCloseTo(chance as number, 5);

  const evaluated = spawnSync(process.execPath, [bin, "evaluate", coordinator, "new.csv"], {
    encoding: "utf8",
  });
  expect(evaluated.stderr).toContain(`${coordinator} is the folder of a federation`);
  const own = join(folder, "own.onnx");
  const site = spawnSync(process.execPath, [bin, "export", join(folder, "demo", "hills"), own], {
    encoding: "utf8",
  });
  expect([site.status, site.stderr]).toEqual([0, ""]);
  expect(readFileSync(own)).toEqual(readFileSync(file));
});

test.skipIf(!natsServer || !postgres)(
  "the same over NATS with a ledger in Postgres has the same model, by its hash",
  () => {
    const out = join(folder, "elsewhere");
    const where = ["--bus", nats!.address, "--ledger", postgres!.address];
    const { stdout, stderr } = pliant("demo", "--out", out, "--json", ...where);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({ finished: { sites: 5, of: 5 }, equalsSimulator: true });
    const [here, there] = ["demo", "elsewhere"].map((name) =>
      JSON.parse(readFileSync(join(folder, name, "coordinator", "report.json"), "utf8")),
    );
    expect(there.model).toBe(here.model);
    expect(existsSync(join(out, "coordinator", "ledger.log"))).toBe(false);
  },
);

/** A command in a process of its own, and what it says: until it says so, and once it was asked to stop. */
function running(...args: string[]) {
  const child = spawn(process.execPath, [bin, "federate", ...args]);
  let said = "";
  const heard = (text: unknown): void => {
    said += text;
  };
  child.stdout.on("data", heard);
  child.stderr.on("data", heard);
  return {
    until: async (words: string): Promise<string> => {
      while (!said.includes(words) && child.exitCode === null)
        await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), once(child, "close")]);
      return said;
    },
    stopped: async (): Promise<string> => {
      child.kill("SIGINT");
      await once(child, "close");
      return said;
    },
  };
}

test("the printed resume commands are quoted for a shell, spaces included", async () => {
  const [out, site, rows] = ["north and south", "my site", "my rows.csv"].map((name) => join(folder, name));
  const spec = join(folder, "three.yaml");
  writeFileSync(
    spec,
    "name: x\ndata: { features: [a], label: y, classes: [no, yes] }\nsites: { number: 3, least: 3 }\ntraining: { rounds: 1, rate: 0.1 }\n",
  );
  writeFileSync(rows, `a,y\n${"1,no\n2,yes\n".repeat(5)}`);
  const coordinator = running("serve", spec, "--out", out);
  expect(await coordinator.until("Listening")).toContain(`invite "${out}" --site NAME`);
  const code = join(folder, "hills.code");
  expect(pliant("invite", out, "--site", "hills", "--code-file", code).stdout).toBe(
    `The join code for hills is in ${code}.\n`,
  );
  expect(statSync(code).mode & 0o777).toBe(0o600);
  expect(pliant("invite", out, "--site", "hills", "--code-file", code).stderr).toContain("is there already");
  const hills = running("join", code, "--yes", "--data", rows, "--out", site);
  await hills.until("oined");
  expect(await hills.stopped()).toContain(
    `continue with pliant federate join --resume "${site}" --data "${rows}"`,
  );
  expect(await coordinator.stopped()).toContain(`continue with pliant federate serve --resume "${out}"`);
  expect(pliant("status", out).stdout).toContain(`continue with pliant federate serve --resume "${out}"`);
});

test("an occupied port ends the coordinator with a message; a place is revoked, and missing sites are named", async () => {
  const [out, spec] = [join(folder, "ports"), join(folder, "three.yaml")];
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  const { port } = holder.address() as { port: number };
  const taken = pliant("serve", spec, "--out", out, "--port", String(port));
  expect([taken.status, taken.signal, taken.stderr.trim()]).toEqual([
    3,
    null,
    `pliant federate: Port ${port} is in use; choose another with --port.`,
  ]);
  holder.close();
  const coordinator = running("serve", spec, "--out", out);
  expect(await coordinator.until("It begins")).toContain("Listening");
  pliant("invite", out, "--site", "hlils");
  expect((await said("federate", "status", out)).stdout).toContain(
    "It begins when all 3 sites have joined; 0 have. Invited and not joined: hlils; not invited: 2.",
  );
  expect((await said("federate", "remove", out, "--site", "hlils")).stdout).toBe(
    "hlils was removed; its code and its identity are void, and its place is free.\n",
  );
  expect((await said("federate", "status", out)).stdout).not.toContain("hlils");
  await coordinator.stopped();
});

describe("mistakes are reported in one sentence", () => {
  const spec = join(folder, "bad.yaml");
  writeFileSync(
    spec,
    "name: x\ndata: { features: [a], label: y, classes: [no, yes] }\nsites: { number: 2, least: 2 }\ntraining: { rounds: 1, rate: 0.1 }\n",
  );
  let specs = 0;
  /** The spec of three sites with one line that is another. */
  const specWith = (line: string): string => {
    const file = join(folder, `${specs++}.yaml`);
    const kept = [
      "name: x",
      "data: { features: [a], label: y, classes: [no, yes] }",
      "sites: { number: 3 }",
      "training: { rounds: 1, rate: 0.1 }",
    ].filter((one) => !one.startsWith(line.split(":")[0]));
    writeFileSync(file, [...kept, line, ""].join("\n"));
    return file;
  };
  test.each([
    [[], "a subcommand is missing: pliant federate demo"],
    [["sreve"], '"sreve" is not a subcommand of federate; did you mean "serve"?'],
    [["serve", join(folder, "none.yaml")], "there is no file"],
    [["serve", spec], "below 3 sites a sum tells each what the other sent"],
    [
      ["serve", "--resume", join(folder, "nowhere")],
      "has no federation; start one with pliant federate serve",
    ],
    [["invite", join(folder, "nowhere"), "--site", "a"], "has no federation"],
    [
      ["join", "--code", "pliant1-abc", "--data", spec],
      "This is not a join code; copy all of what pliant federate invite printed.",
    ],
    [
      ["join", "pliant1-abc", "--data", spec],
      "everyone on this machine can see a join code on the command line",
    ],
    [["join", "--code", "pliant1-abc"], "name this site's table with --data FILE."],
    [["demo", "--bus", "http://x", "--out", join(folder, "nobus")], "A bus elsewhere is nats://HOST:PORT"],
    [["demo", "--sites", "2"], "A federation has at least 3 sites"],
    [["status", join(folder, "nowhere")], "has no federation"],
    [["serve", "--resume", folder, "--sites", "3"], "leave out --sites with --resume."],
    [["serve", "--resume", folder, "--least", "3"], "leave out --least with --resume."],
    [["serve", "--resume", folder, "--bus", "nats://x"], "leave out --bus with --resume."],
    [
      ["serve", specWith("data: { features: [a, a], label: y, classes: [no, yes] }")],
      'data.features names "a" twice.',
    ],
    [
      ["serve", specWith("data: { features: [a, y], label: y, classes: [no, yes] }")],
      'data.features names "y", which is the label',
    ],
    [
      ["serve", specWith("sites: { number: 3, loss: 0.3 }")],
      'sites.loss: is a bound over the mean, such as "mean + 0.02"',
    ],
    [
      ["serve", specWith("requirements: { loss: 0.3 }")],
      '"requirements" is not known: a federation\'s spec can have name, data, model, sites, training, sums, privacy, seed; what each site asks for is sites.loss.',
    ],
    [
      ["serve", specWith("sites: { number: 3, cots: hard }")],
      '"cots" is not known: sites in a federation\'s spec can have number, least, sample, group, begin, loss, levels, cost, dualRate, priceCap, leastWeight, lossBound, histogram.',
    ],
  ])("%j", async (args, sentence) => {
    const { status, stderr } = await said("federate", ...args);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain("    at ");
    expect(status).toBe(2);
  });
});
