// Clients that are apart, and their server.
export {
  boundedLoss,
  type ClientState,
  type Contribution,
  initialClientState,
  initialParams,
  type NetworkClient,
  type NetworkClientOptions,
  type NetworkOptions,
  networkClient,
  type Shown,
} from "./client.js";
export { checkNetwork, type Exchanged, type PlanOptions, planned, type Riding } from "./plan.js";
export { type NetworkServer, networkServer, nextMeanPrice, type ServerState, type Summed } from "./server.js";
