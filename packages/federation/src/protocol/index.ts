// The protocol: messages, and two state machines.
export * from "./coordinator.js";
export * from "./coordinator-events.js";
export { type Crypto, realCrypto } from "./crypto.js";
export { type DrawOptions, drawnGroups, largestGroup } from "./draw.js";
export { fingerprint, type Identity, identityOf, newSecret, signed } from "./identity.js";
export {
  type Counted,
  encodeMessage,
  parseToCoordinator,
  parseToSite,
  type ShownMessage,
  type SignedMember,
  type Since,
  siteName,
  type ToCoordinator,
  type ToSite,
  version,
} from "./messages.js";
export * from "./opened.js";
export { cameTo, firstPast, type Outcome, outcomeOf, pastAfter, sinceFor } from "./past.js";
export { checkRelease, ownRelease, release } from "./release.js";
export { changedRoster, checkOneEach, rosterChanges, rosterCode, rosterLines, rosterNews } from "./roster.js";
export { siteMachine } from "./site.js";
export * from "./site-events.js";
export { type Halves, halvesOf, isTraceable, partContext, partCount } from "./traced.js";
export {
  cohortHash,
  contextOf,
  contextOver,
  memberText,
  type Roster,
  rosterHash,
  type Statement,
  shownHash,
  statementHash,
  statementOver,
  survivorsText,
} from "./transcript.js";
export {
  checkSum,
  decodeGiven,
  decodeSummand,
  encodeGiven,
  encodeSummand,
  type Given,
  isAllFinite,
  plainSum,
  readSum,
  type SumOf,
  sendable,
  toSummand,
  uploadLength,
} from "./uploads.js";
