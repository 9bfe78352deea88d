// pliant reproduce federated: what it answers, what it writes, and what it refuses.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readFederated, reproduceFederated } from "../src/reproduce/federated.js";

let out: string;
beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), "pliant-reproduce-"));
});
afterAll(() => rmSync(out, { recursive: true }));

/** What the command prints. */
async function printed(...args: string[]): Promise<string> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const error = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  try {
    await reproduceFederated(args);
    return log.mock.calls.flat().join("\n");
  } finally {
    log.mockRestore();
    error.mockRestore();
  }
}

describe("pliant reproduce federated", () => {
  const small = ["--dataset", "strokes", "--clients", "3", "--rounds", "5", "--device", "cpu"];

  it("prints rows as JSON, then the same as tables, and writes rows and figures", async () => {
    const asked = [...small, "--method", "resilient,constrained", "--out", out];
    const { rows } = JSON.parse(await printed(...asked, "--json"));
    expect(rows.map(({ method }: { method: string }) => method)).toEqual(["resilient", "constrained"]);
    expect(rows[0]).toMatchObject({ dataset: "strokes", clients: 3, rounds: 5 });
    expect(Object.keys(rows[0])).toEqual(
      expect.arrayContaining(["meanAccuracy", "iqr", "range", "violating"]),
    );
    expect(Object.keys(rows[0].perClient[0])).toEqual(
      expect.arrayContaining(["relaxation", "price", "minorityShare", "trainLoss", "testAccuracy"]),
    );
    expect(JSON.parse(readFileSync(join(out, "rows.json"), "utf8"))).toEqual({ rows });
    expect(readdirSync(join(out, "figures")).sort()).toEqual([
      "ordered-strokes-0.1.svg",
      "relaxation-minority.svg",
      "violations.svg",
    ]);

    const text = await printed(...asked, "--resume");
    expect(text).toContain("Client test accuracies (percent)");
    expect(text).toContain(rows[1].meanAccuracy.toFixed(1));
  });

  it("runs a recipe of the paper with overrides, each run once, and reuses finished runs", async () => {
    const done = JSON.parse(readFileSync(join(out, "rows.json"), "utf8")).rows[0];
    const asked = [...small, "--recipe", "cost-norms", "--cost", "quadratic", "--out", out];
    expect(JSON.parse(await printed(...asked, "--resume", "--json"))).toEqual({ rows: [done] });
  });

  it("has an option for every setting of a recipe", async () => {
    const settings = (...args: string[]) => readFederated([...small, ...args]).recipes[0];
    expect(
      settings(
        ...["--method", "constrained", "--dual-cap", "0.5", "--dual-rate", "3", "--solver", "scaffold"],
        ...["--participation", "2", "--minority", "1,3", "--split", "random-client", "--heterogeneity", "1"],
      ),
    ).toMatchObject({
      cap: 0.5,
      dualRate: 3,
      solver: "scaffold",
      participation: 2,
      minority: [1, 3],
      split: "random-client",
      heterogeneity: 1,
    });
    expect(
      settings(
        ...["--method", "q-fair", "--q", "2", "--split", "mix", "--alike", "0.5"],
        ...["--solver", "fedprox", "--proximal", "0.5", "--precision", "bf16"],
      ),
    ).toMatchObject({
      fairness: 2,
      split: "mix",
      alike: 0.5,
      solver: "fedprox",
      proximal: 0.5,
      precision: "bf16",
    });
    expect(settings("--method", "agnostic", "--agnostic-rate", "0.2").agnosticRate).toBe(0.2);
    expect(settings("--relaxation-rate", "0.3").relaxationRate).toBe(0.3);
    const exact = settings(
      "--preset",
      "stated",
      "--relaxation-rate",
      "exact",
      "--solver",
      "fedpd",
      "--penalty",
      "2",
    );
    expect(exact).toMatchObject({ preset: "stated", solver: "fedpd", penalty: 2 });
    expect(exact).not.toHaveProperty("relaxationRate");
  });

  it("explains that a precision needs a GPU", async () => {
    await expect(printed(...small, "--precision", "bf16")).rejects.toThrow(
      "--precision bf16 is for a GPU; this device computes in float32.",
    );
  });

  it("refuses unknown names with the nearest one, and writes nothing", async () => {
    const folder = join(out, "refused");
    const refused = (...args: string[]) => expect(printed("--out", folder, ...args)).rejects;
    await refused("--method", "resilent").toThrow(/"resilent" is not a method; did you mean "resilient"/);
    await refused("--dataset", "mnst").toThrow(/did you mean "mnist"/);
    await refused("--recipe", "alpa").toThrow(/did you mean "alpha"/);
    await refused("--preset", "offical").toThrow(/did you mean "official"/);
    await refused("--cost", "square").toThrow(/is not a cost/);
    await refused("--alpha", "0").toThrow(/α must be above 0/);
    await refused("--rounds", "seven").toThrow("--rounds must be a whole number of at least 1, not seven.");
    await refused("--minority", "0,a").toThrow("--minority is a list of classes such as 0,2,4, not 0,a.");
    await refused("--solver", "fedavgg").toThrow(/did you mean "fedavg"/);
    await refused("--split", "mixx").toThrow(/did you mean "mix"/);
    await refused("--seeds", "1,x").toThrow(/--seeds must be a list of whole numbers/);
    await refused("--seeds", "1-9999999999").toThrow(/at most 1000 seeds/);
    await refused("--recipe", "minority", "--method", "agnostic").toThrow(
      /has no run of the method agnostic/,
    );
    expect(existsSync(folder)).toBe(false);
  });
});
