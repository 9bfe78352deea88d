// What an operator has: numbers for Prometheus, and files to run it with.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { served, siteHere, until } from "./here.js";
import { specOf } from "./problem.js";

const folder = mkdtempSync(path(tmpdir(), "pliant-operators-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a coordinator gives out rounds, sites, bytes and faults for Prometheus", async () => {
  const spec = specOf({ sites: { number: 3 }, training: { rounds: 2, communicationRounds: 2 } });
  const out = path(folder, "coordinator");
  const seen: string[] = [];
  const coordinator = await served({ spec, out, metrics: "0" });
  await until(() => coordinator.said.some((what) => what.startsWith("Metrics")));
  const port = /port (\d+)/.exec(coordinator.said.join())![1];
  const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).text()).toBe("ok\n");
  const site = siteHere(folder, spec);
  const sites = [];
  for (const [i, name] of ["a", "b", "c"].entries()) sites.push(await site(out, name, i));
  const over = coordinator.over.then(() => true);
  while (!(await Promise.race([over, new Promise((resolve) => setTimeout(() => resolve(false), 30))])))
    seen.push(await read().catch(() => ""));
  await Promise.all(sites.map((one) => one.over));
  const last = seen.findLast((text) => text.includes("site_counted_total{"))!;
  const value = (name: string) =>
    Number(new RegExp(`^pliant_federation_${name} (\\S+)$`, "m").exec(last)?.[1]);
  expect(value("rounds_planned")).toBe(2);
  expect(value("sites")).toBe(3);
  expect(value("exchanges_total")).toBeGreaterThan(0);
  expect(value('site_counted_total{site="a"}')).toBe(value("exchanges_total"));
  expect(value('bytes_total{direction="in"}')).toBeGreaterThan(1000);
  // Every line is a comment or one sample.
  for (const line of last.trim().split("\n"))
    expect(line).toMatch(
      /^(# (HELP|TYPE) pliant_federation_\w+ .+|pliant_federation_\w+(\{\w+="[^"]*"\})? \S+)$/,
    );
}, 120_000);

test("units and container run as a user that is not root, with options that there are", () => {
  const file = (name: string) => readFileSync(fileURLToPath(new URL(name, import.meta.url)), "utf8");
  const commands = file("../../cli/src/federate-serve.ts") + file("../../cli/src/federate-join.ts");
  const deployed = ["pliant-coordinator.service", "pliant-site.service", "Containerfile"].map((name) =>
    file(`../deploy/${name}`),
  );
  for (const text of deployed) {
    expect(text).toMatch(/^(User=pliant|USER 10001)$/m);
    const lines = text.split("\n").filter((line) => /pliant.*(serve|join)/.test(line));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines)
      for (const [, option] of line.slice(line.indexOf("pliant ")).matchAll(/ --([a-z-]+)/g))
        expect(commands).toMatch(new RegExp(`^      "?${option}"?: `, "m"));
  }
});
