// Where a problem is solved unless told, and what is said where that is not the fastest there could be.
import { reference } from "@pliant/engine";
import { expect, test, vi } from "vitest";
import { native } from "../src/solver/backend.js";

test("a machine without a native back end solves in plain TypeScript, and says so with the reason", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const missing = new Error(
    "ONNX Runtime is not installed here; run npm install onnxruntime-node.\nat dlopen",
  );
  for (const load of [
    () => Promise.reject(missing),
    () => Promise.resolve({ open: () => Promise.reject(missing) }),
  ]) {
    expect((await native(load)).name).toBe(reference().name);
    expect(warn.mock.calls).toEqual([
      [
        "No native back end starts here (ONNX Runtime is not installed here; run npm install onnxruntime-node). Problems are solved in plain TypeScript, which is slower. pliant doctor says what to do; pass backend: reference() to leave out this message.",
      ],
    ]);
    warn.mockClear();
  }
  const found = reference();
  expect(await native(() => Promise.resolve({ open: () => Promise.resolve(found) }))).toBe(found);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
