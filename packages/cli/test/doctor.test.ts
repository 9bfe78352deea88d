// pliant doctor on this machine. These are the only tests of the command that depend on what is installed.
import { describe, expect, test, vi } from "vitest";
import { chosen } from "../src/doctor.js";
import { pliant } from "./fixtures/said.js";

describe("pliant doctor", () => {
  test("reports the chosen back end and the reason", () => {
    const working = (...names: string[]) => names.map((name) => ({ name, works: true, detail: "" }));
    const xla = (platform: string) => ({ name: "xla", works: true, detail: "", platform });
    expect(chosen(working("reference")).auto).toBe("reference");
    expect(chosen(working("reference", "onnx"))).toEqual({ auto: "onnx", why: "no XLA plugin starts" });
    expect(chosen([...working("reference", "onnx"), xla("cuda")]).auto).toBe("xla");
    const both = chosen([...working("reference", "onnx"), xla("cpu")]);
    expect(both.auto).toBe("onnx and xla");
    expect(both.why).toMatch(/loops without convolutions and sorting run on it/);
  });

  test("reports the back ends that work here", async () => {
    const { status, stdout } = await pliant("doctor");
    expect(status).toBe(0);
    expect(stdout).toMatch(/✓ reference/);
    expect(stdout).toMatch(/✓ onnx/);
    expect(stdout).toMatch(/Device "auto" is (onnx|xla|onnx and xla) here: .+\./);
  });

  test("prints one JSON object and nothing else with --json", async () => {
    const { findings } = JSON.parse((await pliant("doctor", "--json")).stdout);
    expect(findings.map((f: { name: string }) => f.name)).toEqual(["node", "reference", "onnx", "xla"]);
  });

  test("explains how to install missing parts", async () => {
    vi.stubEnv("PLIANT_PJRT_PLUGIN", "/nowhere/plugin.so");
    const { stdout } = await pliant("doctor").finally(() => vi.unstubAllEnvs());
    expect(stdout).toMatch(/✗ xla .*\/nowhere\/plugin\.so/);
    expect(stdout).toMatch(/→ .*pip install "jax\[cuda13\]"/);
    expect(stdout).toMatch(/Device "auto" is onnx here: no XLA plugin starts\./);
  });
});
