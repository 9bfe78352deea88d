// A model that sees a part of the rows at a time: the same losses, prices and certificates as on all at once.

import { adam, atMost, createSolver, minimise, quadratic, solve } from "@pliant/core";
import { full, NdArray, random, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";

const [rows, columns, width] = [403, 4, 6];
const [forX, forY, forV] = random.split(random.key(3), 3);
const x = random.normal(forX, [rows, columns]);
const y = random.normal(forY, [rows]);
const data = {
  x,
  y,
  half: new NdArray(
    Float32Array.from({ length: rows }, (_, i) => i % 2),
    [rows],
  ),
};
type Rows = { [K in keyof typeof data]: Tensor };

const task = minimise({
  params: { v: random.normal(forV, [columns, width]), w: full([width], 0.1) },
  forward: ({ v, w }: { v: Tensor; w: Tensor }, { x }: Rows) => x.matmul(v).tanh().matmul(w),
  objective: (z, { y }) => z.sub(y).pow(2).mean(),
}).subjectTo(
  {
    // A ratio of sums over all rows, and the worst of them: no sum of what parts would give.
    share: atMost(0.1, (z, { half }) => z.mul(half).sum().div(z.pow(2).sum().add(1))),
    worst: atMost(0.2, (z) => z.abs().max()),
  },
  { cost: quadratic(1) },
);

describe("rowsAtOnce", () => {
  test.each([100, 403, 1000])(
    "%i: the evaluation of a state is the same, up to rounding",
    async (rowsAtOnce) => {
      const whole = await createSolver(task, { data });
      const parts = await createSolver(task, { data, rowsAtOnce });
      const { state, report } = await whole.inspect(await whole.advance(whole.initial, 40));
      const seen = await parts.inspect(state);
      const same = (a: number, b: number, what: string) =>
        expect(Math.abs(a - b), what).toBeLessThan(1e-5 * (1 + Math.abs(b)));
      same(seen.report.objective, report.objective, "objective");
      for (const name of ["share", "worst"] as const)
        same(
          seen.report.requirements[name].reached as number,
          report.requirements[name].reached as number,
          name,
        );
      expect(seen.certificate.holds).toBe(report.certificate.holds);
    },
  );

  test.each([undefined, { size: 50, seed: 2 }])(
    "steps and certificate are those of all at once (%o)",
    async (batch) => {
      const [a, b] = await Promise.all(
        [undefined, 64].map((rowsAtOnce) =>
          solve(task, { data, batch, rowsAtOnce, optimizer: adam(0.03), steps: 100, tolerance: 0 }),
        ),
      );
      for (const name of ["share", "worst"] as const)
        expect(
          Math.abs(
            (a.report.requirements[name].price as number) - (b.report.requirements[name].price as number),
          ),
        ).toBeLessThan(1e-3);
    },
  );

  test("a model that mixes rows is refused, as is an invalid number of rows", async () => {
    const mixing = {
      ...task,
      forward: (_: unknown, { x }: Rows) => x.sub(x.mean({ axis: 0 })).sum({ axis: 1 }),
    };
    await expect(solve(mixing as never, { data, rowsAtOnce: 100 } as never)).rejects.toThrow(
      "depends on the others",
    );
    await expect(solve(task, { data, rowsAtOnce: 0 })).rejects.toThrow(
      "rowsAtOnce must be a whole number from 1",
    );
  });
});
