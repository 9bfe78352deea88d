// The protocol: messages, and two state machines.
export * from "./coordinator.js";
export * from "./coordinator-events.js";
export { type Crypto, realCrypto } from "./crypto.js";
export { fingerprint, type Identity, identityOf, newSecret, signed } from "./identity.js";
export {
  type Counted,
  encodeMessage,
  parseToCoordinator,
  parseToSite,
  type ShownMessage,
  type SignedMember,
  type ToCoordinator,
  type ToSite,
  version,
} from "./messages.js";
export * from "./site.js";
export { contextOf, memberText, shownHash, survivorsText } from "./transcript.js";
export {
  addUpload,
  decodeGiven,
  decodeSummand,
  encodeGiven,
  encodeSummand,
  type Given,
  plainSum,
  readSum,
  type SumOf,
  toSummand,
} from "./uploads.js";
