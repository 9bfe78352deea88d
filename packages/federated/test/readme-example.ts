import { random } from "@pliant/engine";
import { open } from "@pliant/engine/device";
import { relaxationCost, resilient, simulate } from "@pliant/federated";
import { mlp } from "@pliant/learn";

// Ten clients of 20 samples each; a client's samples are rows of a shared pool.
const pool = { x: random.normal(random.key(1), [200, 8]), y: random.randint(random.key(2), [200], 0, 3) };
const clients = Array.from({ length: 10 }, (_, c) => ({
  train: Array.from({ length: 20 }, (_, i) => 20 * c + i),
}));

const federation = {
  model: mlp({ inputs: 8, hidden: [16], outputs: 3 }),
  data: { train: pool, clients },
  formulation: resilient({ level: 0.02, dualRate: 10, cost: relaxationCost({ alpha: 2 }) }),
  local: { rate: 0.1, epochs: 2, batch: { stepsPerEpoch: 5 }, clip: 5, decay: 1e-3 },
  rounds: 20,
  seed: 0,
  backend: await open("cpu"),
};
const { state, evaluation } = await simulate({
  ...federation,
  onRound: ({ round, meanLoss }) => console.log(round, meanLoss),
});
evaluation.train.loss; // one number per client, for the final model
Array.from(state.prices.data); // the price of each client's requirement

import type { Tensor } from "@pliant/engine";
import { constrained, errorRate, ownMetric } from "@pliant/federated";
import { crossEntropy } from "@pliant/learn";

// No client's error rate is more than 5 points above the mean; prices follow the rates, training follows the loss.
const byErrors = constrained({ level: 0.05, dualRate: 10, of: errorRate });
await simulate({ ...federation, formulation: byErrors, rounds: 2 });

// Or a custom metric, one number per sample: here, how often the true class has a probability below a third.
const unsure = (outputs: Tensor, targets: Tensor) =>
  crossEntropy(outputs, targets).gt(Math.log(3)).cast("int32");
const byMetric = constrained({ level: 0.05, dualRate: 10, of: ownMetric });
await simulate({ ...federation, formulation: byMetric, metric: unsure, rounds: 2 });

import { squaredError } from "@pliant/learn";

const lines = { x: random.normal(random.key(3), [200, 8]), y: random.normal(random.key(4), [200, 1]) };
await simulate({
  ...federation,
  model: mlp({ inputs: 8, hidden: [16], outputs: 1 }),
  data: { train: lines, clients },
  loss: (outputs, targets) => squaredError(outputs, targets).sum({ axis: -1 }),
  weighting: "samples",
  rounds: 2,
});

import { fedYogi, localAdam } from "@pliant/federated";

await simulate({
  ...federation,
  server: fedYogi({ rate: 0.02 }), // or fedAdam, fedAvgM
  local: { ...federation.local, rate: 0.01, optimizer: localAdam() }, // or localMomentum(0.9)
  rounds: 2,
});

import { inSpells, variedPace } from "@pliant/federated";

await simulate({
  ...federation,
  participation: 5, // random clients among those available
  availability: inSpells({ there: 6, away: 2 }), // or sometimes(0.7), inTurns({ period: 24, share: 0.5 }), or a function
  stragglers: { steps: variedPace({ typical: 12, spread: 0.3 }), late: "left out" }, // or "cut short"
  onRound: ({ participants, late, bytes }) => console.log(participants, late, bytes.up),
  rounds: 2,
});

const { evaluation: both } = await simulate({
  ...federation,
  personalise: { rate: 0.05, epochs: 3, batch: 10 },
  rounds: 2,
});
both.personalised?.train.loss; // of each client's own model, fine-tuned from the shared one

const records = { epsilon: 8, delta: 1e-3, clip: 1, lossClip: 4 };
await simulate({
  ...federation,
  local: { rate: 0.1, batch: 4 },
  communicationRounds: 1,
  privacy: records,
  fixedPoint: { bound: 16 },
  onRound: ({ epsilon }) => console.log(epsilon), // what each client has spent
  rounds: 2,
});
