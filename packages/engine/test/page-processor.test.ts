// "auto" of a page: the runtime that was offered is loaded once, for the first program worth it, and its numbers are the reference's;
// without it, or without one of its operations, plain TypeScript computes.
import { array, type Backend, compile, full, type Tensor } from "@pliant/engine";
import { offerRuntime, onnx } from "@pliant/engine/onnx";
import { afterEach, describe, expect, test, vi } from "vitest";
import { open } from "../src/device-page.js";
import { web } from "./web.js";

afterEach(() => vi.restoreAllMocks());

const large = full([200_000], 2);
const doubled = async (backend: Backend, x = large) =>
  (await (await compile((v: Tensor) => v.mul(2), { backend })(x)).read()).data[0];

test("one that does not load is warned about once, and plain TypeScript computes", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const load = vi.fn(() => Promise.reject(new Error("no such file")));
  offerRuntime(load);
  const backend = await open("auto");
  expect(await doubled(backend)).toBe(4);
  expect(await doubled(backend, full([300_000], 2))).toBe(4);
  expect(load).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls).toEqual([[expect.stringContaining("no such file")]]);
});

describe.skipIf(!web)("onnxruntime-web", () => {
  test("is loaded for a large program and not for a small one; reference asks for none", async () => {
    const load = vi.fn(async () => web!);
    offerRuntime(load);
    const backend = await open("auto");
    expect(await doubled(backend, array([2]))).toBe(4);
    expect(await doubled(await open("reference"))).toBe(4);
    expect(load).toHaveBeenCalledTimes(0);
    expect(await doubled(backend)).toBe(4);
    expect(load).toHaveBeenCalledTimes(1);
    await backend.close();
  });

  test("leaves operations that it does not have to plain TypeScript", async () => {
    offerRuntime(async () => web!);
    const backend = await open("auto");
    const x = full([200_000], 0.5, "float64");
    const erf = (on: Backend) => compile((v: Tensor) => v.erf(), { backend: on })(x);
    await expect(onnx({ runtime: web! }).then(erf)).rejects.toThrow("is not available on the onnx back end");
    expect((await (await erf(backend)).read()).data[0]).toBeCloseTo(0.5204998778, 9);
    await backend.close();
  });
});
