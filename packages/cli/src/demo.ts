// pliant demo: trains a small classifier under three requirements, one of which no classifier can meet, and reports what
// gave way.

import { atMost, createSolver, InputError, minimise, quadratic, type SolverState, sgd } from "@pliant/core";
import { array, full, NdArray, random, type Tensor } from "@pliant/engine";
import { type Device, devices, open } from "@pliant/engine/device";
import { progress, resumeRun, startRun, train } from "@pliant/learn/runs";
import { type Asked, asking, headline, sentences } from "@pliant/train";
import { readArgs, refuseWords } from "./arguments.js";
import { readDevice, readSeed } from "./options.js";

/** Points of the plane, sick or well, and three sets of them: a set is a weight a point, the weights summing to 1. */
interface People<T> {
  x: T;
  sick: T;
  sickInA: T;
  sickInB: T;
  well: T;
}

/**
 * Six people in ten are of group A, whose sick stand well apart from the well; in group B they overlap: 1.33 deviations
 * lie between the two. The false alarms allowed, 10% of the well, all spent in B are 25% of its well, and at that rate the
 * best test there is (Neyman and Pearson's) misses 25% of its sick, so no classifier misses as few as the 10% asked.
 */
export function people(key: random.Key, n: number): People<NdArray> {
  const noise = random.normal(key, [n, 2], { std: 0.6 }).data;
  const x = new Float32Array(2 * n);
  const is = { sick: (i: number) => i % 2 === 1, inB: (i: number) => i % 10 >= 6 };
  for (let i = 0; i < n; i++) {
    const apart = is.inB(i) ? 0.4 : 1.2;
    x[2 * i] = (is.sick(i) ? apart : -apart) + noise[2 * i];
    x[2 * i + 1] = (is.inB(i) ? -1 : 1) + noise[2 * i + 1];
  }
  const members = (of: (i: number) => boolean): number[] =>
    Array.from({ length: n }, (_, i) => Number(of(i)));
  const share = (of: (i: number) => boolean): NdArray => {
    const count = members(of).reduce((a, b) => a + b, 0);
    return array(members(of).map((m) => m / count));
  };
  return {
    x: new NdArray(x, [n, 2]),
    sick: array(members(is.sick)),
    sickInA: share((i) => is.sick(i) && !is.inB(i)),
    sickInB: share((i) => is.sick(i) && is.inB(i)),
    well: share((i) => !is.sick(i)),
  };
}

function classifier(key: random.Key, width: number) {
  const draw = (i: number, shape: number[], fanIn: number) =>
    random.normal(random.foldIn(key, i), shape, { std: 1 / Math.sqrt(fanIn) });
  return {
    hidden: draw(0, [2, width], 2),
    bias: full([width], 0),
    out: draw(1, [width], width),
    offset: full([], 0),
  };
}

/** A network with one hidden layer; a rate is the mean probability it gives to the wrong answer over a set of people. */
export const screening = (key: random.Key, width = 16) =>
  minimise({
    params: classifier(key, width),
    forward: ({ hidden, bias, out, offset }, { x }: People<Tensor>) => ({
      logit: x.matmul(hidden).add(bias).tanh().matmul(out).add(offset),
      decay: hidden.pow(2).sum().add(out.pow(2).sum()).mul(5e-4),
    }),
    objective: ({ logit, decay }, { sick }) => logit.softplus().sub(logit.mul(sick)).mean().add(decay),
  }).subjectTo(
    {
      "misses in A": atMost(0.1, ({ logit }, { sickInA }) => logit.neg().sigmoid().mul(sickInA).sum()),
      "misses in B": atMost(0.1, ({ logit }, { sickInB }) => logit.neg().sigmoid().mul(sickInB).sum()),
      "false alarms": atMost(0.1, ({ logit }, { well }) => logit.sigmoid().mul(well).sum(), { hard: true }),
    },
    { cost: quadratic(2) },
  );

interface DemoAsked extends Asked {
  command: "demo";
  settings: typeof settings;
}

const settings = { people: 2000, steps: 10_000, every: 100, tolerance: 1e-4, rate: 0.3, dualRate: 0.5 };

/** The run as it was asked for; another seed or device would be another run. */
function askedBefore(file: string, given: Partial<DemoAsked>): (value: unknown) => DemoAsked {
  return (value) => {
    const asked = value as Partial<DemoAsked> | null;
    if (
      asked?.command !== "demo" ||
      !Number.isSafeInteger(asked.seed) ||
      !devices.includes(asked.device as Device)
    )
      throw new InputError(`${file} is not of a run of pliant demo; start one with another --out.`);
    for (const name of ["seed", "device"] as const)
      if (![undefined, "auto", asked[name]].includes(given[name]))
        throw new InputError(
          `the run was started with --${name} ${asked[name]}, not ${given[name]}; resume it without --${name}, or start another.`,
        );
    if (JSON.stringify(asked.settings) !== JSON.stringify(settings))
      throw new InputError(
        "the run was started by a pliant with other settings; start it again without --resume.",
      );
    return asked as DemoAsked;
  };
}

export async function demo(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "demo",
    about: "Trains a small classifier under three requirements, one of which no classifier can meet.",
    options: {
      out: { type: "string", value: "DIR", default: "runs/demo", about: "where the run goes" },
      resume: { type: "boolean", default: false, about: "goes on with the run that is there" },
      seed: { type: "string", value: "N", about: "of the data and the model; 1 unless given" },
      device: { type: "string", value: "NAME", about: "auto, cpu, cuda or reference" },
    },
  });
  refuseWords(positionals, "demo");
  const given = {
    ...(values.seed !== undefined && { seed: readSeed(values.seed) }),
    ...(values.device !== undefined && { device: readDevice(values.device) }),
  };
  const before = values.resume
    ? resumeRun<DemoAsked, SolverState>(values.out, askedBefore(`${values.out}/run.json`, given))
    : undefined;
  // Residuals of 1e-4 want products exact to float32.
  const backend = await open(before?.asked.device ?? given.device, { precision: "float32" });
  try {
    const folder =
      before ??
      startRun<DemoAsked, SolverState>(values.out, {
        command: "demo",
        settings,
        ...asking(given.seed ?? 1, backend),
      });
    const { seed } = folder.asked;
    const [dataKey, paramKey] = random.split(random.key(seed), 2);
    console.log(
      `Screening ${settings.people} people of two groups under three requirements, one of which cannot be met (seed ${seed}, ${backend.name}).`,
    );
    if (folder.state) console.log(`Going on from step ${folder.state.step} in ${folder.path}.`);
    const solver = await createSolver(screening(paramKey), {
      ...settings,
      data: people(dataKey, settings.people),
      optimizer: sgd(settings.rate, { momentum: 0.9 }),
      backend,
    });
    const {
      report: { text, ...report },
    } = await train(solver, folder, {
      ...settings,
      progress: progress(),
      resumeWith: `npx pliant demo --resume${values.out === "runs/demo" ? "" : ` --out ${values.out}`}`,
    });
    folder.finish(report);
    console.log(
      `\n${headline(report)}\n\n${text}\n\n${sentences(report).join("\n")}\n\nThe run is in ${folder.path}.`,
    );
  } finally {
    await backend.close();
  }
}
