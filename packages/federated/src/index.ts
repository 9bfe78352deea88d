// The public names of the federation.
export { type Augmentation, flipAndCrop } from "./augmentation.js";
export {
  type Availability,
  inSpells,
  inTurns,
  type Stragglers,
  sometimes,
  variedPace,
} from "./availability.js";
export { batchSizes, type GroupOptions, type Order, type Segment, segmentsOf, shuffled } from "./batches.js";
export {
  belowLevel,
  clientWeight,
  constrainedStep,
  exactStep,
  explicitStep,
  type StepSizes,
  slack,
  wantedPrices,
} from "./client.js";
export { type ClientRound, type ClientRoundOptions, type ClientsAsked, clientRound } from "./client-round.js";
export {
  type MaximumNorm,
  maximumNorm,
  type RelaxationCost,
  type RelaxationCostOptions,
  relaxationCost,
} from "./costs.js";
export type { Client, FederatedData, Pool } from "./data.js";
export { FederationDiverged } from "./divergence.js";
export {
  type Evaluate,
  type EvaluatorOptions,
  evaluator,
  meansOf,
  type PerClient,
  type PerSample,
  type StoredPool,
  storePool,
} from "./evaluation.js";
export {
  addWords,
  fitted,
  fixedAverage,
  fractionBits,
  fromWhole,
  fromWords,
  largestCoordinate,
  largestNumber,
  toWhole,
  toWords,
  type Words,
} from "./fixed-point.js";
export { type FixedPoint, fixedSums, flattenSums, unflattenSums } from "./fixed-sums.js";
export { flatSize, flatten, unflatten } from "./flat.js";
export * from "./formulations/index.js";
export {
  type GroupDone,
  type GroupRound,
  groupRunner,
  type RunGroup,
  type Sums,
  zerosLike,
} from "./groups.js";
export { type Batch, batchLoss, type LocalOptions, localStep, type Training } from "./local.js";
export { type LocalAdamOptions, type LocalOptimizer, localAdam, localMomentum } from "./local-optimizer.js";
export * from "./network/index.js";
export type { SimulationOptions } from "./options.js";
export { chooseParticipants, type Participation, participantCount } from "./participation.js";
export type { Personalised } from "./personalise.js";
export * from "./privacy/index.js";
export {
  aboveZero,
  average,
  fairFactor,
  fairTerms,
  serverStep,
  waterLevel,
  waterLevels,
} from "./server.js";
export {
  type AdaptiveOptions,
  type FedAvgMOptions,
  fedAdam,
  fedAvgM,
  fedYogi,
  type ServerOptimizer,
} from "./server-optimizer.js";
export { type ServerRound, type ServerRoundOptions, type Shared, serverRound } from "./server-round.js";
export { onHost, type Simulated, type SimulateOptions, simulate } from "./simulate.js";
export { createSimulation, type Simulation } from "./simulation.js";
export {
  type Finished,
  fedAvg,
  fedPd,
  fedProx,
  type Message,
  type Position,
  type Solver,
  scaffold,
} from "./solvers.js";
export type { Evaluation, RoundMetrics, SimulationState, TestMeans } from "./state.js";
export type { PerSampleNumber, Task } from "./task.js";
export { clientsTogether } from "./together.js";
export type { Weighting } from "./weighting.js";
