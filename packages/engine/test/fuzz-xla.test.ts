// The programs of fuzz.test.ts on XLA's CPU plugin: a tenth of them, since it takes longer to compile one.
import { xla } from "@pliant/engine/xla";
import { test } from "vitest";
import { check, count, progress, seed } from "./fuzz/asked.js";
import { fuzz, seedsFrom } from "./fuzz/run.js";

const onXla = await xla({ precision: "float32", preallocate: false }).catch(() => undefined);
const onCpu = onXla?.client.platform === "cpu";
const few = Math.ceil(count / 10);

test.skipIf(!onCpu)(`${few} programs on XLA's CPU`, { timeout: 36_000_000 }, async () => {
  check("xla", await fuzz(onXla!, seedsFrom(seed, few), progress("xla")));
  await onXla!.close();
});
