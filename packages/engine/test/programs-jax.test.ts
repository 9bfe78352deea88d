// Random programs, values and gradients, as StableHLO that Python JAX runs: none may differ by more than rounding. A file of
// its own, since the others do the same where there is no JAX.
// PLIANT_SEED and PLIANT_PROGRAMS_JAX choose other programs and more of them.
import { grad, random, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";
import { trace } from "../src/compile.js";
import { toStableHlo } from "../src/xla/emit.js";
import { disagreement } from "./agreement.js";
import { openJax } from "./jax.js";
import { compareAll } from "./programs/compared.js";

const count = Number(process.env.PLIANT_PROGRAMS_JAX ?? 30);

const jax = (await openJax())!;

test.skipIf(!jax)("the gradient of a pooling that once ended XLA's process agrees", async () => {
  const pool = (x: Tensor) =>
    x
      .avgPool({ window: [2, 3], stride: [2, 3], padding: 1 })
      .pow(2)
      .sum();
  const inputs = [random.normal(random.key(1), [2, 1, 4, 4])];
  const { program } = trace(grad(pool), inputs);
  const [got] = await jax.run({ module: toStableHlo(program, "float32"), inputs, outputs: program.outputs });
  expect(disagreement(grad(pool), inputs, got)).toBeUndefined();
});

test.skipIf(!jax)(
  `${count} random programs agree with the reference as StableHLO on XLA`,
  { timeout: 3_600_000 },
  async () => {
    await compareAll("XLA", count, ({ program, inputs }) =>
      jax.run({ module: toStableHlo(program, "float32"), inputs, outputs: program.outputs }),
    );
  },
);
