// vmap gives the same results on XLA as on the reference (vmap.test.ts).
import { xla } from "@pliant/engine/xla";
import { afterAll, describe } from "vitest";
import { operationsOn, transformationsOn } from "./vmap-on.js";

const plugin = await xla({ precision: "float32", preallocate: false }).catch(() => undefined);
if (!plugin) console.log("Skipped on xla, which does not run here.");
afterAll(() => plugin?.close());

describe.skipIf(!plugin)("on xla too", () => operationsOn(plugin!));
describe.skipIf(!plugin)("with transformations on xla", () => transformationsOn(plugin!));
