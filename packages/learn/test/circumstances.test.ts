import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Backend, reference } from "@pliant/engine";
import { pluginVersion } from "@pliant/engine/xla";
import { expect, test } from "vitest";
import { circumstances, computingIn } from "../src/runs/index.js";

test("a run on a GPU names it, its plugin, the driver's platform, the precision and the versions", () => {
  const about = {
    precision: "bf16",
    accelerator: "NVIDIA H200",
    plugin: "/opt/xla_cuda_plugin.so",
    pluginVersion: "0.11.2",
    platform: "cuda 13000",
  };
  expect(circumstances({ name: "xla", about })).toMatchObject({
    device: "cuda",
    precision: "bf16",
    versions: { node: process.version, pliant: expect.stringMatching(/^\d+\.\d+/), plugin: "0.11.2" },
    machine: {
      processor: cpus()[0].model.trim(),
      accelerator: "NVIDIA H200",
      plugin: "/opt/xla_cuda_plugin.so",
      driver: "cuda 13000",
    },
  });
});

test.each([
  ["onnx", "cpu"],
  ["xla", "cuda"],
  ["onnx and xla", "auto"],
  ["reference", "reference"],
])("a run on %s has the device that opens it again, %s", (name, device) => {
  expect(circumstances({ name, about: { precision: "float32" } }).device).toBe(device);
});

test("other back ends record float32 and no accelerator", () => {
  const { device, precision, machine } = circumstances(reference());
  expect([device, precision]).toEqual(["reference", "float32"]);
  expect(machine).not.toHaveProperty("accelerator");
});

test("a plugin's version is that of its package", () => {
  const packages = mkdtempSync(join(tmpdir(), "pliant-packages-"));
  const plugin = join(packages, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so");
  mkdirSync(dirname(plugin), { recursive: true });
  mkdirSync(join(packages, "jax_cuda13_pjrt-0.11.2.dist-info"));
  writeFileSync(plugin, "");
  expect(pluginVersion(plugin)).toBe("0.11.2");
  expect(pluginVersion("/nowhere/at/all/plugin.so")).toBeUndefined();
});

test("a run's precision applies to programs that do not set their own", async () => {
  const asked: (string | undefined)[] = [];
  const note = async (precision: string | undefined): Promise<never> => {
    asked.push(precision);
    return undefined as never;
  };
  const gpu: Backend = {
    ...reference(),
    name: "xla",
    about: { precision: "tf32", accelerator: "NVIDIA H200" },
    compile: (_, options) => note(options?.precision),
    compileLoop: (_, __, options) => note(options?.precision),
  };
  const narrow = computingIn(gpu, "bf16");
  await narrow.compile(undefined as never);
  await narrow.compile(undefined as never, { precision: "float32" });
  await narrow.compileLoop!(undefined as never, 1, { precision: undefined });
  await gpu.compile(undefined as never);
  expect(asked).toEqual(["bf16", "float32", "bf16", undefined]);
  expect(circumstances(narrow)).toMatchObject({ precision: "bf16", machine: { accelerator: "NVIDIA H200" } });
  expect(computingIn(gpu, "tf32")).toBe(gpu);
  expect(computingIn(gpu, undefined)).toBe(gpu);
});

test("a back end with one precision refuses another", () => {
  const backend = reference();
  expect(computingIn(backend, "float32")).toBe(backend);
  expect(() => computingIn(backend, "bf16")).toThrow(
    "This run is to be computed in bf16, on a GPU; this device computes in float32.",
  );
});
