// pliant federate simulate: a federation on one machine, with model, data and formulation from a TypeScript file.
import { resolve } from "node:path";
import { InputError, inColumns, unknownName } from "@pliant/core";
import { type Device, open } from "@pliant/engine/device";
import {
  type Evaluation,
  FederationDiverged,
  onHost,
  type RoundMetrics,
  type SimulateOptions,
  type SimulationState,
  simulate,
} from "@pliant/federated";
import { begunRun, circumstances, interrupt, progress, type RunFolder, startRun } from "@pliant/learn/runs";
import { ownFile, word } from "@pliant/train";
import { readArgs } from "./arguments.js";
import { readDevice, readSeed, shared, whole } from "./options.js";

/** The default export of a file, or what that function of `{ seed }` returns. */
type Given = Omit<SimulateOptions<unknown>, "backend" | "state" | "onRound">;

/** All known keys, to reject misspelt ones. */
const names: Record<keyof Given, true> = {
  ...{ model: true, data: true, local: true, rounds: true, formulation: true, solver: true },
  ...{ loss: true, metric: true, weighting: true, communicationRounds: true, timing: true },
  ...{ serverRate: true, server: true, participation: true, availability: true, stragglers: true },
  ...{ seed: true, params: true, order: true, augmentation: true, privacy: true, fixedPoint: true },
  ...{ together: true, trim: true, chunk: true, evaluateEvery: true, personalise: true },
};
const needed = ["model", "data", "local"] as const;

interface SimulationRecord {
  readonly command: "federate simulate";
  readonly name: string;
  readonly seed: number;
  readonly settings: { readonly file: string; readonly sha256: string; readonly rounds: number };
  readonly device: Device;
}

type State = SimulationState & Record<string, unknown>;

export async function simulateCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate simulate FILE",
    about:
      "Simulates a federation from a TypeScript or JavaScript file. Its default export is the options of simulate in pliant/federated, or a function of { seed } that returns them.",
    options: {
      rounds: { type: "string", value: "N", about: "override the file's number of rounds" },
      seed: { type: "string", value: "N", about: "override the file's seed (default: 0)" },
      device: shared.device,
      out: { type: "string", value: "DIR", default: "runs/simulation", about: "the folder of the run" },
      resume: shared.resume,
      json: shared.json,
    },
  });
  if (positionals.length !== 1)
    throw new InputError("name one file: pliant federate simulate FILE, such as federation.ts.");
  const [file] = positionals;
  const givenSeed = readSeed(values.seed);
  const { given, sha256 } = await readFederation(file, givenSeed ?? 0);
  const options = {
    ...given,
    seed: givenSeed ?? given.seed ?? 0,
    rounds: whole("rounds", values.rounds) ?? given.rounds,
  };
  if (options.rounds === undefined) throw new InputError(`${file} sets no rounds; add --rounds N.`);
  const settings = { file, sha256, rounds: options.rounds };
  const before = values.resume
    ? begunRun<SimulationRecord, State>(values.out, sameRun(values.out, { seed: options.seed, settings }))
    : undefined;
  if (before?.report)
    throw new InputError(`the run in ${values.out} is finished; start another without --resume.`);
  const backend = await open(readDevice(values.device));
  const folder =
    before ??
    startRun<SimulationRecord, State>(values.out, {
      ...{
        command: "federate simulate",
        name: given.formulation?.name ?? "unconstrained",
        seed: options.seed,
      },
      settings,
      ...circumstances(backend),
    });
  try {
    const report = await inFolder(folder, { ...options, backend }, goingOn(file, values));
    folder.finish(report);
    if (values.json) console.log(JSON.stringify(report));
    else console.log(`${tableOf(report)}\n\nThe run is in ${values.out}.`);
    return 0;
  } finally {
    await backend.close();
  }
}

/** The command that resumes a run, with the options that overrode the file. */
export function goingOn(
  file: string,
  { out, ...asked }: { out: string; rounds?: string; seed?: string; device: string },
): string {
  const again = (["rounds", "seed", "device"] as const).flatMap((name) =>
    asked[name] === undefined || asked[name] === shared.device.default ? [] : [`--${name} ${asked[name]}`],
  );
  return ["pliant federate simulate", word(file), "--resume", `--out ${word(out)}`, ...again].join(" ");
}

async function readFederation(file: string, seed: number): Promise<{ given: Given; sha256: string }> {
  const { own, sha256 } = await ownFile(resolve(file));
  const given: unknown = typeof own === "function" ? await own({ seed }) : own;
  if (typeof given !== "object" || given === null)
    throw new InputError(
      `The default export of ${file} must be the options of simulate in pliant/federated, or a function of { seed } that returns them.`,
    );
  for (const name of Object.keys(given))
    if (!Object.hasOwn(names, name))
      throw unknownName(`an option of simulate (${file})`, name, Object.keys(names));
  for (const name of needed)
    if ((given as Partial<Given>)[name] === undefined)
      throw new InputError(`${file} has no ${name}, which a federation needs.`);
  return { given: given as Given, sha256 };
}

/** Refuses to resume with another file, seed or number of rounds. */
const sameRun =
  (path: string, wanted: Pick<SimulationRecord, "seed" | "settings">) =>
  (value: unknown): SimulationRecord => {
    const { command, seed, settings } = (value ?? {}) as Partial<SimulationRecord>;
    if (command !== "federate simulate")
      throw new InputError(`${path} holds another kind of run; choose another --out.`);
    if (settings?.sha256 !== wanted.settings.sha256)
      throw new InputError(
        `the file has changed since the run in ${path} began; start again without --resume.`,
      );
    if (seed !== wanted.seed || settings.rounds !== wanted.settings.rounds)
      throw new InputError(
        `the run in ${path} has seed ${seed} and ${settings.rounds} rounds; resume it with these.`,
      );
    return value as SimulationRecord;
  };

interface Report {
  readonly kind: "federated";
  readonly rounds: number;
  /** The clients' mean training loss. */
  readonly objective: number;
  /** Over all rounds since the last resume. */
  readonly bytes: { readonly down: number; readonly up: number };
  readonly clients: readonly Readonly<Record<string, number>>[];
}

async function inFolder(
  folder: RunFolder<SimulationRecord, State>,
  options: SimulateOptions<unknown>,
  resumeWith: string,
): Promise<Report> {
  const { rounds, data } = options;
  const [shown, interrupted] = [progress(), interrupt()];
  const every = Math.ceil(rounds / 200);
  const bytes = { down: 0, up: 0 };
  try {
    const { state, evaluation, epsilon } = await simulate({
      ...options,
      state: folder.state,
      onRound: async (metrics, save) => {
        bytes.down += metrics.bytes.down;
        bytes.up += metrics.bytes.up;
        const looked = metrics.round % every === 0 || metrics.round === rounds;
        if (looked) folder.save((await save()) as State, logged(metrics));
        shown.show(`round ${metrics.round}/${rounds}  loss ${metrics.meanLoss.toFixed(4)}`);
        if (metrics.round === rounds) return;
        await interrupted.check(async () => {
          if (!looked) folder.save((await save()) as State);
          return `stopped after round ${metrics.round}; continue with ${resumeWith}`;
        });
      },
    });
    return {
      kind: "federated",
      rounds,
      objective: mean(evaluation.train.loss),
      bytes,
      clients: data.clients.map(({ train }, c) => ({
        samples: train.length,
        relaxation: state.relaxations.data[c],
        price: state.prices.data[c],
        ...ofClient(evaluation, c),
        ...(epsilon && { epsilon: epsilon[c] }),
      })),
    };
  } catch (error) {
    if (error instanceof FederationDiverged) folder.save((await onHost(error.lastGood)) as State);
    throw error;
  } finally {
    shown.end();
    interrupted.release();
  }
}

/** The final model at a client; accuracies are percentages, as in all federation reports. */
function ofClient({ train, test, personalised }: Evaluation, c: number): Record<string, number> {
  const found: Record<string, number | undefined> = {
    trainLoss: train.loss[c],
    trainAccuracy: 100 * train.accuracy[c],
    trainMetric: train.metric?.[c],
    testLoss: test?.loss[c],
    testAccuracy: test && 100 * test.accuracy[c],
    testMetric: test?.metric?.[c],
    ownTrainLoss: personalised?.train.loss[c],
    ownTestLoss: personalised?.test?.loss[c],
    ownTestAccuracy: personalised?.test && 100 * personalised.test.accuracy[c],
  };
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  );
}

/** A line of metrics.jsonl: training losses at the start of the round, all other values at its end. */
const logged = ({ round, communicationRounds, meanLoss, train, test, ...metrics }: RoundMetrics): object => ({
  step: round,
  time: new Date().toISOString(),
  communicationRounds,
  objective: meanLoss,
  bytes: metrics.bytes.down + metrics.bytes.up,
  late: metrics.late,
  clients: {
    trainLoss: train.loss,
    testLoss: test?.loss,
    testAccuracy: test?.accuracy.map((accuracy) => 100 * accuracy),
    relaxation: metrics.relaxations,
    price: metrics.prices,
    epsilon: metrics.epsilon,
  },
});

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

export function tableOf({ clients, rounds, objective, bytes }: Report): string {
  // Some clients have no test samples.
  const names = [...new Set(clients.flatMap(Object.keys))];
  const rows = clients.map((client, c) => [String(c), ...names.map((name) => short(client[name]))]);
  const megabytes = (1e-6 * (bytes.down + bytes.up)).toFixed(1);
  return [
    inColumns([["client", ...names], ...rows], () => false),
    `\n${rounds} rounds, mean training loss ${objective.toFixed(4)}, ${megabytes} MB of models and updates.`,
  ].join("\n");
}

const short = (value: number | undefined): string =>
  value === undefined ? "" : Number.isInteger(value) ? String(value) : value.toFixed(4);
