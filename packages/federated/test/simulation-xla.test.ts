// What simulation.test.ts says of the other back ends, of XLA.
import { xla } from "@pliant/engine/xla";
import { afterAll, describe } from "vitest";
import { sameOn } from "./same-everywhere.js";

const plugin = await xla({ precision: "float32", preallocate: false }).catch((reason: Error) => {
  console.log(`Skipped: the xla back end does not run here. ${reason.message}`);
  return undefined;
});
afterAll(() => plugin?.close());

describe.skipIf(!plugin)("on xla", () => {
  // It takes a second to compile where the others take none.
  sameOn(plugin!, (title) => title === "resilient" || title.startsWith("SCAFFOLD"));
});
