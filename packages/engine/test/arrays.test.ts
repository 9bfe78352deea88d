// What becomes an array, and which numbers a dtype takes.
import { array, compile, evaluate, full, NdArray, type Tensor, where } from "@pliant/engine";
import { describe, expect, test } from "vitest";

describe("typed arrays", () => {
  test("bytes that are no bools are refused, and converted where a dtype is given", () => {
    const bytes = Uint8Array.of(0, 255, 1);
    expect(() => array(bytes)).toThrow(/holds bools, 0 or 1, and element 1 is 255/);
    expect(() => new NdArray(bytes, [3])).toThrow(/element 1 is 255/);
    expect(array(bytes, { dtype: "float32" }).toNested()).toEqual([0, 255, 1]);
    expect(array(bytes, { dtype: "int32" }).toNested()).toEqual([0, 255, 1]);
    expect(array(bytes, { dtype: "bool" }).toNested()).toEqual([false, true, true]);
    expect(array(Uint8Array.of(0, 1)).toNested()).toEqual([false, true]);
  });

  test("a condition of bytes chooses", () => {
    const mask = array(Uint8Array.of(0, 255), { dtype: "bool" });
    expect(evaluate(where(mask, 1, 2)).toNested()).toEqual([2, 1]);
  });

  test.each([Uint32Array, Int8Array, Uint16Array, Int16Array, Uint8ClampedArray])(
    "%o is no storage: a dtype has to be given",
    (Kind) => {
      expect(() => array(Kind.of(7))).toThrow(
        `${Kind.name} is not storage of float32, float64, int32, bool; say which to make of it`,
      );
      expect(array(Kind.of(7, 0), { dtype: "float64" }).toNested()).toEqual([7, 0]);
      expect(array(Kind.of(7, 0), { dtype: "bool" }).toNested()).toEqual([true, false]);
    },
  );

  test("a value outside int32 is refused", () => {
    expect(() => array(Uint32Array.of(1, 2 ** 31), { dtype: "int32" })).toThrow(
      "element 1 is 2147483648, which is no int32",
    );
    expect(() => array([1, 2.5], { dtype: "int32" })).toThrow("element 1 is 2.5, which is no int32");
    expect(() => full([2], NaN, "int32")).toThrow("NaN, which is no int32");
    expect(full([2], 7, "bool").toNested()).toEqual([true, true]);
  });

  test("storage is that of the dtype", () => {
    expect(() => new NdArray(new Float32Array(2), [2], "int32")).toThrow(
      "a Float32Array does not store int32",
    );
    expect(() => array(BigInt64Array.of(1n) as never, { dtype: "int32" })).toThrow("bigint");
  });
});

describe("numbers that meet an int32", () => {
  const whole = array([1, 2, 3], { dtype: "int32" });

  test.each<[string, (x: Tensor) => Tensor]>([
    ["lt", (x) => x.lt(2.5)],
    ["mul", (x) => x.mul(0.5)],
    ["maximum", (x) => x.maximum(Infinity)],
    ["eq", (x) => x.eq(2 ** 31)],
    ["pad", (x) => x.pad([[1, 1]], 0.5)],
    ["clip", (x) => x.clip(0.5, 2)],
    ["where", (x) => where(x.gt(1), x, NaN)],
  ])("are whole, or refused with the line: %s", async (_, f) => {
    await expect(compile(f)(whole)).rejects.toThrow(/is no int32, .* cast .*\(at .*arrays\.test\.ts/);
  });

  test("bounds of clip may be infinite, and leave a number between them", () => {
    expect(evaluate(where(true, whole, 0).clip(2, Infinity)).toNested()).toEqual([2, 2, 3]);
    expect(() => evaluate(where(true, whole, 0).clip(2, 1))).toThrow(
      "the bounds 2 and 1 leave no number between",
    );
    expect(() => evaluate(where(true, whole, 0).clip(NaN, 1))).toThrow(
      "the bounds NaN and 1 leave no number between",
    );
  });
});
