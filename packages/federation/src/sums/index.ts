// Secure sums.
export {
  type Cohort,
  digest,
  fewest,
  holdersOf,
  type Member,
  mostNeighbours,
  neighboursOf,
  quorumOf,
  strictest,
} from "./cohort.js";
export { enough, reachable, type Settled, unmask, WrongShares } from "./coordinator.js";
export { agreedKey, bytesOf, hex, isLowOrder, publicKey, type Random } from "./keys.js";
export { addMask, addSummand, emptySummand, partsOf, type Summand } from "./mask.js";
export { combine, prime, type Share, split } from "./shamir.js";
export {
  type Box,
  type Dealt,
  deal,
  type Held,
  isMarked,
  type Marks,
  markOf,
  marksOf,
  masked,
  memberOf,
  newSecrets,
  openBox,
  type Revealed,
  revealed,
  type Secrets,
} from "./site.js";
