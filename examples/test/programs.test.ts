// The programs run as they are, and what they print is compared with what is computed here in another way.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { solveQP } from "quadprog";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";

const [here, folder] = [process.cwd(), mkdtempSync(join(tmpdir(), "pliant-examples-"))];
afterEach(() => {
  process.chdir(here);
  vi.restoreAllMocks();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a program exports, and what it prints. */
async function run<Exports>(load: () => Promise<Exports>): Promise<Exports & { said: string }> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const exported = await load();
  return { ...exported, said: log.mock.calls.map((words) => words.join(" ")).join("\n") };
}

const sum = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0);
/** With arrays that start at 1, as quadprog has them; constraints are rows · x ≥ levels. */
const withQuadprog = (H: number[][], d: number[], rows: number[][], levels: number[]): number[] => {
  const from1 = <T>(x: T[]): T[] => [undefined as T, ...x];
  const columns = d.map((_, j) => rows.map((row) => row[j]));
  return solveQP(from1(H.map(from1)), from1(d), from1(columns.map(from1)), from1(levels)).solution.slice(1);
};

describe("fairness.ts", () => {
  it("reports the rates that are counted, and gives way where its price is the slope of its cost", async () => {
    const { data, solution, said } = await run(() => import("../fairness.js"));
    const { params, report, certificate } = solution;
    expect(certificate.holds).toBe(true);
    expect(said).toBe(report.text);
    const [w1, b1, w2, b2, x] = [params.w1, params.b1, params.w2, params.b2, data.x].map(({ data }) => data);
    const accepted = Array.from({ length: 2000 }, (_, i) => {
      const unit = (j: number) => Math.tanh(x[2 * i] * w1[j] + x[2 * i + 1] * w1[8 + j] + b1[j]) * w2[j];
      return sum(Array.from({ length: 8 }, (_, j) => unit(j))) + b2[0] > 0;
    });
    const rate = (of: (i: number) => boolean, among: (i: number) => boolean) => {
      const some = accepted.flatMap((_, i) => (among(i) ? [i] : []));
      return some.filter(of).length / some.length;
    };
    const suitable = (i: number) => data.y.data[i] === 1;
    const counted = {
      "turned down in A": rate(
        (i) => !accepted[i],
        (i) => suitable(i) && data.a.data[i] === 1,
      ),
      "turned down in B": rate(
        (i) => !accepted[i],
        (i) => suitable(i) && data.b.data[i] === 1,
      ),
      "let in": rate(
        (i) => accepted[i],
        (i) => !suitable(i),
      ),
    };
    for (const name of Object.keys(counted) as (keyof typeof counted)[]) {
      const { reached, relaxation, price, allowance } = report.requirements[name];
      expect(reached, name).toBeCloseTo(counted[name], 6);
      expect(Math.abs(Math.max(0, counted[name] - 0.1) - relaxation), name).toBeLessThan(allowance);
      expect(price, name).toBeCloseTo(4 * relaxation, 3);
    }
    expect(report.requirements["turned down in B"].status).toBe("gave way");
  });
});

describe("held-out.ts", () => {
  it("comes to the polynomial that quadprog finds, and prints what its held-out days cost", async () => {
    const { train, heldOut, grid, params, report, said } = await run(() => import("../held-out.js"));
    const powers = (p: number) => Array.from({ length: 7 }, (_, i) => p ** i);
    const [X, y, n] = [Array.from(train.price.data, powers), train.sold.data, train.sold.size];
    const H = powers(0).map((_, i) => powers(0).map((_, j) => (2 / n) * sum(X.map((x) => x[i] * x[j]))));
    const d = powers(0).map((_, i) => (2 / n) * sum(X.map((x, k) => x[i] * y[k])));
    const at = Array.from(grid.data, powers);
    const falls = at.slice(1).map((x, i) => x.map((z, j) => at[i][j] - z));
    const loss = (w: ArrayLike<number>) =>
      sum(X.map((x, k) => (sum(x.map((z, i) => z * w[i])) - y[k]) ** 2)) / n;
    const best = withQuadprog(
      H,
      d,
      falls,
      falls.map(() => 0),
    );
    expect(report.certificate.holds).toBe(true);
    expect(Math.abs(report.objective / loss(best) - 1)).toBeLessThan(2e-3);
    // Without the requirement it would rise.
    expect(loss(withQuadprog(H, d, [powers(0).map(() => 0)], [0]))).toBeLessThan(0.99 * loss(best));
    const short = Array.from(
      heldOut.price.data,
      (p, k) => heldOut.sold.data[k] - sum(powers(p).map((z, i) => z * params.w.data[i])),
    );
    const cost = sum(short.map((s) => (s > 0 ? 4 * s : -s))) / short.length;
    const lines = said.split("\n").filter((line) => line.startsWith("step"));
    expect(Number(lines.at(-1)!.split(" ").at(-1))).toBeCloseTo(cost, 3);
  });
});

describe("resume.ts", () => {
  const inFolder = async (name: string, ...args: string[]) => {
    const place = join(folder, name);
    mkdirSync(place, { recursive: true });
    process.chdir(place);
    vi.spyOn(process, "argv", "get").mockReturnValue(["node", "resume.ts", ...args]);
    vi.resetModules();
    const { data, said } = await run(() => import("../resume.js"));
    return { data, said, checkpoint: () => readFileSync(join(place, "runs/margins/checkpoint.safetensors")) };
  };

  it("goes on to the bits of a run that was not stopped, at the line that quadprog finds", async () => {
    const whole = await inFolder("whole");
    const stopped = await inFolder("parts", "100");
    expect(stopped.said).toContain("from step 0\n");
    expect(stopped.said).toContain("not certified");
    const rest = await inFolder("parts");
    expect(rest.said).toContain("from step 100\n");
    expect(rest.checkpoint().equals(whole.checkpoint())).toBe(true);
    // min ½‖w‖² + ½ Σ ξ over w, b, ξ; what has no curvature gets very little of it.
    const [corners, side] = [whole.data.corners.data, Array.from(whole.data.side.data)];
    const n = side.length;
    const H = Array.from({ length: n + 3 }, (_, i) =>
      Array.from({ length: n + 3 }, (_, j) => (i === j ? (i < 2 ? 1 : 1e-7) : 0)),
    );
    const d = H.map((_, i) => (i < 3 ? 0 : -0.5));
    const unit = (i: number) => side.map((_, j) => Number(i === j));
    const margins = [0, 1, 2, 3].flatMap((c) =>
      side.map((s, i) => {
        const at = 2 * (c * n + i);
        return [s * corners[at], s * corners[at + 1], s, ...unit(i)];
      }),
    );
    const rows = [...margins, ...side.map((_, i) => [0, 0, 0, ...unit(i)])];
    const [w1, w2, b] = withQuadprog(
      H,
      d,
      rows,
      rows.map((_, i) => (i < 4 * n ? 1 : 0)),
    );
    const line = /line: (\S+) x \+ (\S+) y \+ (\S+) = 0/.exec(rest.said)!.slice(1).map(Number);
    for (const [i, exact] of [w1, w2, b].entries()) expect(Math.abs(line[i] - exact)).toBeLessThan(0.01);
  });
});

describe("devices.ts", () => {
  it("has the loss and the price of the equation that the multiplier solves, on every device", async () => {
    const { rows, said } = await run(() => import("../devices.js"));
    const { x, y } = rows("float64");
    const of = (i: number) => x.data.slice(20 * i, 20 * i + 20);
    const A = Array.from({ length: 20 }, () => new Array<number>(20).fill(0));
    const c = new Array<number>(20).fill(0);
    for (let i = 0; i < 1000; i++)
      for (let j = 0; j < 20; j++) {
        c[j] += (of(i)[j] * y.data[i]) / 1000;
        for (let k = 0; k < 20; k++) A[j][k] += (of(i)[j] * of(i)[k]) / 1000;
      }
    // (A + λ) w = c with ‖w‖² = 4.
    const weights = (price: number) =>
      withQuadprog(
        A.map((row, j) => row.map((a, k) => a + (j === k ? price : 0))),
        c,
        [c.map(() => 0)],
        [0],
      );
    let [low, high] = [0, 100];
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (sum(weights(middle).map((w) => w * w)) > 4) low = middle;
      else high = middle;
    }
    const w = weights(low);
    const loss = sum(Array.from(y.data, (z, i) => (sum(w.map((v, j) => v * of(i)[j])) - z) ** 2)) / 1000;
    const found = [...said.matchAll(/^(.+): loss (\S+), price (\S+), certified to (\S+), on/gm)];
    expect(found.map(([, name]) => name)).toEqual(["one thread", "all threads", "auto", "float64"]);
    for (const [, name, ...numbers] of found) {
      const [itsLoss, itsPrice, tolerance] = numbers.map(Number);
      expect(Math.abs(itsLoss / loss - 1), name).toBeLessThan(tolerance);
      expect(Math.abs(itsPrice / low - 1), name).toBeLessThan(2 * tolerance);
    }
  });
});

describe("own-loop.ts", () => {
  it("prints the prices of the policy in closed form, and stops where the price is 2", async () => {
    const { reward, risk, said } = await run(() => import("../own-loop.js"));
    const riskAt = (price: number) => {
      const odds = reward.map((r, i) => Math.exp((r - price * risk[i]) / 0.1));
      return sum(odds.map((p, i) => p * risk[i])) / sum(odds);
    };
    const priceOf = (level: number) => {
      let [low, high] = [0, 50];
      for (let i = 0; i < 60; i++) {
        const middle = (low + high) / 2;
        if (riskAt(middle) > level) low = middle;
        else high = middle;
      }
      return low;
    };
    const lines = [...said.matchAll(/^risk (\S+): price (\S+) after/gm)];
    expect(lines.length).toBeGreaterThan(5);
    for (const [line, level, price] of lines)
      expect(Math.abs(Number(price) / priceOf(Number(level)) - 1), line).toBeLessThan(0.01);
    expect(Math.abs(Number(said.split(" ").at(-1)) - riskAt(2))).toBeLessThan(0.006);
  });
});
