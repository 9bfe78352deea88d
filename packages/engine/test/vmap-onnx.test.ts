// vmap gives the same results on ONNX Runtime as on the reference (vmap.test.ts).
import { reference } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe } from "vitest";
import { operationsOn, transformationsOn } from "./vmap-on.js";

const native = await onnx({ threads: 1 });
afterAll(() => native.close());

describe("on onnx too", () => operationsOn(native));
describe.each([reference(), native])("with transformations on $name", transformationsOn);
