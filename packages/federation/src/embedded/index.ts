// The coordinator's own server, and how sites reach it.
export { type Certificate, certificateFingerprint, newCertificate } from "./certificate.js";
export {
  type Address,
  embeddedSite,
  httpsBlobs,
  joinWith,
  pinned,
  type SiteConnection,
  sayingReach,
  type Told,
} from "./client.js";
export { decodeCode, encodeCode, type JoinCode, linkOf } from "./code.js";
export { type Admission, type Embedded, type EmbeddedOptions, embeddedServer } from "./server.js";
