// What edges.test.ts says of the other back end, of XLA's CPU plugin.
import { xla } from "@pliant/engine/xla";
import { afterAll, describe } from "vitest";
import { edgesOn } from "./edges/on.js";

// Promises are about the plugin as people have it, however long it compiles.
delete process.env.XLA_FLAGS;
const backend = await xla({ precision: "float32", preallocate: false }).catch((reason: Error) => {
  console.log(`Skipped on xla, which does not run here: ${reason.message}`);
  return undefined;
});
const platform = backend?.client.platform;
if (platform && platform !== "cpu")
  console.log(`Skipped on xla: the promises are about its CPU plugin, and this is ${platform}.`);
afterAll(() => backend?.close());

describe.skipIf(platform !== "cpu")("xla gives what the reference gives at the edges of", () =>
  edgesOn(backend!),
);
