// The invariance experiments at small size, on the built-in dataset.
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Dataset, strokes, torchStream } from "@pliant/data";
import { compile, leaves, NdArray, random, readAll } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { invariance } from "@pliant/lab";
import { afterAll, describe, expect, test } from "vitest";

const {
  folderOf,
  inTwoCycle,
  joinStates,
  methods,
  modelOf,
  networkOf,
  recipe,
  rowOf,
  runInvariance,
  seedNumbers,
  splitState,
  stacksOf,
  termsOf,
  training,
  variants,
  withInvariance,
} = invariance;

type Run = invariance.Run;

const backend = await onnx();
afterAll(() => backend.close());
const folder = () => mkdtempSync(join(tmpdir(), "pliant-lab-"));
const few = strokes({ train: 300, test: 60, seed: 0 });
const own = { backend, load: async () => few };

const request = {
  dataset: "strokes",
  variant: "rotated-180",
  method: "resilient",
  model: "mlp",
  preset: "official",
} as const;

describe("variants", () => {
  /** One bright square, so that where it went can be measured. */
  const square = (n: number): Dataset => {
    const pixels = new Uint8Array(n * 784);
    for (let i = 0; i < n; i++)
      for (let y = 12; y < 16; y++) for (let x = 12; x < 16; x++) pixels[i * 784 + y * 28 + x] = 250;
    const set = { pixels, shape: [n, 1, 28, 28] as const, labels: new Uint8Array(n), classes: ["square"] };
    return { name: "square", train: set, test: set };
  };
  const centre = (pixels: Uint8Array): [number, number] => {
    let [mass, x, y] = [0, 0, 0];
    for (const [i, v] of pixels.entries()) {
      mass += v;
      x += v * (i % 28);
      y += v * Math.floor(i / 28);
    }
    return [x / mass, y / mass];
  };

  test("the original loses no more than a grey level, and pixels of both sets are transformed", () => {
    const set = strokes({ train: 50, test: 20, seed: 1 });
    const same = withInvariance(set, "original");
    const loss = set.train.pixels.map((v, i) => Math.abs(v - same.train.pixels[i]));
    expect(loss.every((d) => d <= 1)).toBe(true);
    const rotated = withInvariance(set, "rotated-90");
    expect(rotated.train.pixels).not.toEqual(set.train.pixels);
    expect(rotated.test.pixels).not.toEqual(set.test.pixels);
    expect(rotated.train.labels).toEqual(set.train.labels);
  });

  test("translated images move by the torch stream's numbers, of seed 1 in training and 0 in test", () => {
    const n = 40;
    const { train, test: held } = withInvariance(square(n), "translated");
    for (const [set, seed] of [
      [train, 1],
      [held, 0],
    ] as const) {
      const stream = torchStream(seed);
      const [dx, dy] = [stream.uniform(n, -1, 1), stream.uniform(n, -1, 1)];
      for (let i = 0; i < n; i++) {
        const [x, y] = centre(set.pixels.subarray(i * 784, (i + 1) * 784));
        // What is seen moves against the coordinates, by up to 13.5·8/14 pixels.
        expect(x).toBeCloseTo(13.5 - (dx[i] * 13.5 * 8) / 14, 0);
        expect(y).toBeCloseTo(13.5 - (dy[i] * 13.5 * 8) / 14, 0);
      }
    }
  });

  test("scaled images shrink and grow by up to 2", () => {
    const areas = Array.from({ length: 30 }, (_, i) => {
      const { pixels } = withInvariance(square(30), "scaled").train;
      return pixels.subarray(i * 784, (i + 1) * 784).reduce((a, b) => a + b / 250, 0);
    });
    const factors = torchStream(1).uniform(30, -1, 1);
    for (const [i, area] of areas.entries()) expect(area / 16).toBeCloseTo(4 ** -factors[i], 0);
  });
});

describe("recipes", () => {
  test("the official preset is the published code's, stated the text's, corrected what both should be", () => {
    expect(recipe(request)).toMatchObject({
      epochs: 1000,
      batch: 1000,
      rate: 0.005,
      decay: 1e-4,
      clip: 1,
      level: 0.1,
      alpha: 0.5,
      dualRate: 5e-4,
      relaxationRate: 1,
      samples: 2,
      chain: "batch",
      mixedCorners: true,
      shift: 0.5,
    });
    const stated = recipe({ ...request, dataset: "fashion-mnist", preset: "stated" });
    expect(stated).toMatchObject({
      level: 0.1,
      chain: "sample",
      mixedCorners: false,
      shift: 16 / 14,
      alpha: 0.5,
    });
    expect(stated.clip).toBeUndefined();
    expect(stated.extraScheduleStep).toBe(false);
    expect(recipe({ ...request, dataset: "mnist", variant: "original", preset: "stated" }).alpha).toBe(0.5);
    expect(recipe({ ...request, dataset: "fashion-mnist" }).level).toBe(0.2);
    expect(recipe({ ...request, preset: "corrected" })).toMatchObject({
      chain: "sample",
      mixedCorners: false,
    });
    expect(recipe({ ...request, method: "unconstrained" }).clip).toBeUndefined();
    expect(recipe({ ...request, method: "unconstrained", preset: "corrected" }).clip).toBe(1);
    expect(recipe({ ...request, dataset: "mnist", variant: "original" }).alpha).toBe(1);
  });

  test("α of the official preset is 1 on the original MNIST set alone, and 0.5 on every other", () => {
    const alphas = (dataset: "mnist" | "fashion-mnist") =>
      variants.map((variant) => recipe({ ...request, dataset, variant }).alpha);
    expect(alphas("mnist")).toEqual([1, 0.5, 0.5, 0.5, 0.5]);
    expect(alphas("fashion-mnist")).toEqual([0.5, 0.5, 0.5, 0.5, 0.5]);
  });

  test("Fashion-MNIST with LeNet has ε = 0.1 and α = 2 in every preset; MNIST's numbers are the MLP's", () => {
    for (const preset of ["official", "stated", "corrected"] as const)
      for (const variant of variants)
        expect(
          recipe({ ...request, dataset: "fashion-mnist", variant, model: "lenet", preset }),
        ).toMatchObject({ level: 0.1, alpha: 2 });
    const networks = (dataset: "mnist" | "fashion-mnist") =>
      methods.map((method) => networkOf({ dataset, method }));
    expect(networks("mnist")).toEqual(methods.map(() => "mlp"));
    expect(networks("fashion-mnist")).toEqual(["lenet", "lenet", "mlp", "lenet", "lenet"]);
  });

  test("u is in a two-cycle from η_u h″ = 2 on, and where it is solved exactly in none", () => {
    const of = (change: Partial<invariance.Request>, u = 0.5) =>
      inTwoCycle(recipe({ ...request, method: "resilient", ...change }), u);
    expect([0.5, 1.9, 2, 6].map((alpha) => of({ alpha }))).toEqual([false, false, true, true]);
    expect(of({ alpha: 2, preset: "stated" })).toBe(true);
    expect(of({ alpha: 2, preset: "corrected" })).toBe(false);
    expect(of({ alpha: 2, method: "constrained" })).toBe(false);
    expect([0.57, 0.58].map((u) => of({ alpha: 2, cost: "power4" }, u))).toEqual([false, true]);
    expect(of({ alpha: 9, cost: "linear" })).toBe(false);
    expect(of({ alpha: 9, cost: "maximum" })).toBe(false);
  });
});

describe("runs that train together", () => {
  const images = 60;
  const data = () => {
    const { train } = strokes({ train: images, test: 10, seed: 2 });
    return {
      images: new NdArray(
        Float32Array.from(train.pixels, (p) => p / 255),
        train.shape,
      ),
      labels: new NdArray(Int32Array.from(train.labels), [images]),
    };
  };
  /** The states of runs after two steps, as one stack. */
  const after = async (runs: readonly Run[]) => {
    const [stack, ...more] = stacksOf(runs, { copies: 1000 });
    expect(more).toEqual([]);
    expect(stack.runs).toHaveLength(runs.length);
    const model = modelOf(stack.recipe);
    const seeds = stack.places.map(({ seed }) => seedNumbers(seed, stack.recipe.preset, model, images));
    const orders = seeds.map((seed) => seed.nextOrder());
    const { init, step } = training(stack.recipe, 1, stack.kinds);
    const run = compile(step as never, { backend }) as unknown as (...args: unknown[]) => Promise<object>;
    const slice = (i: number) => ({
      rows: new NdArray(Int32Array.from(orders.flatMap((order) => [...order])), [seeds.length, images]),
      keys: random.packed(seeds.map(({ stepKey }) => stepKey(i))),
    });
    const all = { ...data(), ...termsOf(stack) };
    let state = init(stack.runs.map((_, i) => seeds[i % seeds.length].params));
    for (let i = 0; i < 2; i++)
      state = ((await readAll(await run(state, all, slice(i)))) as { state: typeof state }).state;
    return stack.runs.map((each, i) => ({ run: each, state: splitState(state, stack.kinds.length)[i] }));
  };

  const cases = [
    ...(["unconstrained", "uniform", "augerino"] as const).map((method) => ({
      preset: "official" as const,
      methods: [method],
    })),
    ...(["official", "stated", "corrected"] as const).map((preset) => ({
      preset,
      methods: ["constrained", "resilient"] as const,
    })),
  ];
  test.each(cases)("take the steps each would take alone: $preset $methods", async ({ preset, methods }) => {
    const costs = ["quadratic", "linear", "power4", "maximum"] as const;
    const runs = methods.flatMap((method) =>
      (method === "resilient" ? costs : costs.slice(0, 1)).flatMap((cost) =>
        [3, 4].map((seed) => ({
          // α and ε differ from run to run of one kind.
          recipe: recipe({ ...request, method, preset, cost, epochs: 10, alpha: seed / 5, level: seed / 20 }),
          seed,
        })),
      ),
    );
    for (const { run, state } of (await after(runs)).filter(({ run }) => run.seed === 4)) {
      const [alone] = await after([run]);
      const [together, apart] = [state, alone.state].map((s) => leaves(s).map(({ leaf }) => leaf as NdArray));
      expect(together).toHaveLength(apart.length);
      // Two Adam steps of 0.005: a rounded gradient moves a parameter by that much less, where it is not all rounding.
      for (const [i, { data: ours, shape }] of together.entries()) {
        expect(shape).toEqual(apart[i].shape);
        let gap = 0;
        for (const k of ours.keys()) gap = Math.max(gap, Math.abs(ours[k] - apart[i].data[k]));
        expect(gap).toBeLessThan(2e-5);
      }
    }
  });

  test("states taken apart and put together are the same, each run's own", () => {
    const { init } = training(recipe(request), 1, [
      { method: "constrained", cost: "quadratic" },
      { method: "resilient", cost: "quadratic" },
    ]);
    const model = modelOf(recipe(request));
    const state = init([1, 2, 3, 4].map((seed) => seedNumbers(seed, "corrected", model, 10).params));
    // Run 3 is of kind 1 at place 1.
    state.prices[1].data.set([7, 8, 9], 3);
    const apart = splitState(state, 2);
    expect(apart[3].prices.map(({ data, shape }) => [[...data], shape])).toEqual([
      [
        [7, 8, 9],
        [1, 3],
      ],
    ]);
    const bytes = (tree: unknown): string[] =>
      leaves(tree).map(({ path, leaf }) => {
        const { data, shape } = leaf as NdArray;
        return `${path} ${shape} ${createHash("sha256").update(data).digest("hex")}`;
      });
    const third = seedNumbers(3, "corrected", model, 10).params;
    expect(bytes(apart[2].params.model)[1].split(" ").at(-1)).toBe(bytes(third)[1].split(" ").at(-1));
    expect(bytes(joinStates(apart, 2))).toEqual(bytes(state));
  });

  test("are of one program, at one step, and no more than fit", () => {
    const all = invariance.methods
      .filter((method) => method !== "uniform")
      .flatMap((method) =>
        variants.flatMap((variant) =>
          [1, 2, 3].map((seed) => ({
            recipe: recipe({ ...request, dataset: "mnist", method, variant }),
            seed,
          })),
        ),
      );
    const stacks = stacksOf(all, { copies: 100 });
    expect(stacks.map(({ kinds, places }) => [kinds.map(({ method }) => method), places.length])).toEqual([
      [["unconstrained"], 15],
      [["augerino"], 15],
      [["constrained", "resilient"], 5],
      [["constrained", "resilient"], 5],
      [["constrained", "resilient"], 5],
    ]);
    for (const { runs, kinds, places } of stacks)
      for (const [i, { recipe: own, seed }] of runs.entries()) {
        expect(own.method).toBe(kinds[Math.floor(i / places.length)].method);
        expect({ variant: own.variant, seed }).toEqual(places[i % places.length]);
      }
    // All α of the official preset in one stack, the original set's 1 among them.
    expect(termsOf(stacks[2]).alphas[1].data).toEqual(Float32Array.of(1, 0.5, 0.5, 0.5, 0.5));
    // One run that is further than the others goes on by itself.
    const apart = stacksOf(all.slice(0, 3), { copies: 100, at: ({ seed }) => (seed === 2 ? 60 : 0) });
    expect(apart.map(({ runs }) => runs.map(({ seed }) => seed))).toEqual([[1, 3], [2]]);
    // On a CPU each is alone.
    expect(stacksOf(all, { copies: 1 }).every(({ runs }) => runs.length === 1)).toBe(true);
  });

  test("write the same folders and results as separate runs, also when stopped and resumed", async () => {
    const recipes = (["rotated-90", "scaled"] as const).flatMap((variant) =>
      (["constrained", "resilient"] as const).map((method) =>
        recipe({ ...request, variant, method, epochs: 2, subset: 60 }),
      ),
    );
    const options = { ...own, checkpointEvery: 0 };
    const [alone, cut] = [folder(), folder()];
    const wanted = await runInvariance(recipes, [1], { ...options, out: alone });
    const until = Date.now();
    await expect(runInvariance(recipes, [1], { ...options, out: cut, copies: 1000, until })).rejects.toThrow(
      /stopped after epoch 1 of strokes · rotated-90, scaled/,
    );
    // One continues alone, the others together.
    await runInvariance(recipes.slice(1, 2), [1], { ...options, out: cut, resume: true });
    const resumed = await runInvariance(recipes, [1], { ...options, out: cut, copies: 1000, resume: true });
    expect(resumed.map(({ seeds: [{ together }] }) => together)).toEqual([2, 1, 2, 1]);
    for (const [i, { seeds }] of wanted.entries()) {
      const [{ accuracy, objective, requirements }] = seeds;
      const [other] = resumed[i].seeds;
      expect(other.accuracy).toBeCloseTo(accuracy, 6);
      expect(other.objective).toBeCloseTo(objective, 4);
      for (const [name, { reached, relaxation, price }] of Object.entries(requirements)) {
        const own = other.requirements[name as "scale"]!;
        expect([own.reached, own.relaxation, own.price]).toEqual(
          [reached, relaxation, price].map((v) => expect.closeTo(v, 3)),
        );
      }
      const path = folderOf(cut, { recipe: recipes[i], seed: 1 }, backend);
      expect(readFileSync(join(path, "metrics.jsonl"), "utf8").split("\n")).toHaveLength(3);
      // The seconds of both sittings.
      expect(other.seconds).toBeGreaterThan(
        JSON.parse(readFileSync(join(path, "metrics.jsonl"), "utf8").split("\n")[0]).seconds,
      );
    }
  });
});

describe("a run", () => {
  const small = recipe({ ...request, epochs: 6, subset: 60 });

  test("stopped in the middle goes on to the same result", async () => {
    const [whole, cut] = [folder(), folder()];
    const options = { ...own, checkpointEvery: 0 };
    const [wanted] = await runInvariance([small], [1], { ...options, out: whole });
    let shown = 0;
    const stop = {
      show: () => {
        if (++shown === 3) throw new Error("pulled the plug");
      },
      end: () => {},
    };
    await expect(runInvariance([small], [1], { ...options, out: cut, progress: stop })).rejects.toThrow(
      "plug",
    );
    const [resumed] = await runInvariance([small], [1], { ...options, out: cut, resume: true });
    const timeless = ({ seeds }: typeof wanted) => seeds.map(({ seconds: _, ...rest }) => rest);
    expect(timeless(resumed)).toEqual(timeless(wanted));
    const metrics = (out: string) =>
      readFileSync(join(folderOf(out, { recipe: small, seed: 1 }, backend), "metrics.jsonl"), "utf8").replace(
        /"time":"[^"]*","seconds":[^,]*/g,
        "",
      );
    expect(metrics(cut)).toBe(metrics(whole));
    // Finished, it is taken as it is.
    const again = await runInvariance([small], [1], { ...options, out: cut, resume: true });
    expect(again[0]).toEqual(resumed);
  });

  test("is not resumed under another recipe", async () => {
    const out = folder();
    const brief = { ...small, epochs: 1 };
    await runInvariance([{ ...brief, batch: 30 }], [1], { ...own, out });
    await expect(runInvariance([brief], [1], { ...own, out, resume: true })).rejects.toThrow(
      /was of another recipe; give another --out/,
    );
  });

  test("with more images than available is refused", async () => {
    await expect(runInvariance([{ ...small, subset: 301 }], [1], { ...own, out: folder() })).rejects.toThrow(
      "--subset 301 is more than the 300 training images of strokes.",
    );
  });

  test.each(["linear", "maximum"] as const)(
    "with a cost without curvature, %s, does not oscillate: prices stay at α and relaxations converge",
    async (cost) => {
      const wanted = recipe({ ...request, cost, epochs: 60, subset: 40 });
      const out = folder();
      const [{ seeds }] = await runInvariance([wanted], [1], { ...own, out });
      const prices = Object.values(seeds[0].requirements).map(({ price }) => price);
      const spent = cost === "linear" ? Math.max(...prices) : prices.reduce((a, b) => a + b, 0);
      expect(spent).toBeCloseTo(wanted.alpha, 5);
      const lines = readFileSync(
        join(folderOf(out, { recipe: wanted, seed: 1 }, backend), "metrics.jsonl"),
        "utf8",
      );
      const last = lines
        .trim()
        .split("\n")
        .slice(-12)
        .map((line) => JSON.parse(line).requirements.rotation);
      // The relaxation is exactly how far the loss of the batch misses its level.
      for (const { reached, relaxation } of last)
        expect(Math.abs(relaxation - (reached - wanted.level))).toBeLessThan(0.15 * reached);
    },
  );

  test("in a two-cycle records the mean of u over its last two steps, and both", async () => {
    const wanted = recipe({ ...request, alpha: 2, epochs: 61, subset: 50 });
    const out = folder();
    const [{ seeds }] = await runInvariance([wanted], [1], { ...own, out });
    for (const { relaxation, price, twoCycle } of Object.values(seeds[0].requirements)) {
      const [before, last] = twoCycle!;
      expect(relaxation).toBe((before + last) / 2);
      // u ← λ − u: of two steps one after another the sum is the later price.
      expect(before + last).toBeCloseTo(price, 6);
      expect(Math.abs(last - before)).toBeGreaterThan(1e-4);
    }
    const metrics = join(folderOf(out, { recipe: wanted, seed: 1 }, backend), "metrics.jsonl");
    const final = JSON.parse(readFileSync(metrics, "utf8").trim().split("\n").at(-1)!);
    expect(final.requirements.scale.relaxation).toBe(seeds[0].requirements.scale!.relaxation);
    const [still] = await runInvariance([{ ...wanted, alpha: 0.5 }], [1], { ...own, out });
    expect(Object.keys(still.seeds[0].requirements.scale!)).not.toContain("twoCycle");
  });

  test.each(["official", "corrected"] as const)(
    "ends at the equilibrium u = λ/α, preset %s",
    async (preset) => {
      const wanted = recipe({ ...request, preset, epochs: 60, subset: 50 });
      const [{ seeds }] = await runInvariance([wanted], [1], { ...own, out: folder() });
      for (const { relaxation, price } of Object.values(seeds[0].requirements)) {
        expect(price).toBeGreaterThan(0.05);
        expect(Math.abs(wanted.alpha * relaxation - price)).toBeLessThan(0.05 * price);
      }
      const row = rowOf(wanted, seeds);
      expect(row).toMatchObject({ recipe: wanted, seeds: [1] });
      expect(row.requirements.rotation?.level).toBe(0.1);
    },
  );
});
