// In which order runs are worth doing. Parts of a stage refine it; runs of one stage may be trained together.
import type { PlannedRun } from "./item.js";

export const stages = {
  accuracies: 1,
  relaxations: 2,
  federated: 2.1,
  longCifar: 3,
  invarianceCosts: 4,
  rates: 5,
  longFashion: 6,
  longOthers: 7,
  longSweeps: 8,
  seeds: 9,
  augerinoWidth: 10,
  otherNetwork: 11,
} as const;
type Stage = keyof typeof stages;

const names: Readonly<Record<Stage, string>> = {
  accuracies: "invariance accuracies, each method by its network",
  relaxations: "relaxations figure: α = 0.5, and MNIST's original set by LeNet",
  federated: "federated, 500 rounds",
  longCifar: "CIFAR-10 pair, 5000 rounds",
  invarianceCosts: "invariance cost norms by LeNet",
  rates: "grid of learning rates, 500 rounds",
  longFashion: "Fashion-MNIST pair, 5000 rounds",
  longOthers: "imbalance 20 and the ratio loss, 5000 rounds",
  longSweeps: "sweeps of α, ε and ρ, 5000 rounds",
  seeds: "further seeds of the CIFAR-10 pair, 500 rounds",
  augerinoWidth: "Augerino with an initial width",
  otherNetwork: "accuracy tables by the other network",
};

const stageOf = (stage: number): Stage =>
  (Object.entries(stages) as [Stage, number][]).findLast(([, from]) => from <= stage)![0];

/** Runs by the stage that they belong to, in order; stages without runs are left out. */
export function byStage(runs: readonly PlannedRun[]): { name: string; runs: PlannedRun[] }[] {
  return (Object.keys(stages) as Stage[]).flatMap((stage) => {
    const own = runs.filter((run) => stageOf(run.stage) === stage);
    return own.length > 0 ? [{ name: names[stage], runs: own }] : [];
  });
}
