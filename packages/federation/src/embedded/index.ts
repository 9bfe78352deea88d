// The coordinator's own server, and how sites reach it.
export {
  type Certificate,
  type CertificateFiles,
  certificateFingerprint,
  isFor,
  namesIn,
  newCertificate,
  readCertificate,
} from "./certificate.js";
export {
  embeddedSite,
  httpsBlobs,
  joinWith,
  type SiteConnection,
  sayingReach,
  type Told,
} from "./client.js";
export { decodeCode, encodeCode, type JoinCode, linkOf } from "./code.js";
export { type Admission, type Embedded, type EmbeddedOptions, embeddedServer } from "./server.js";
export { type Address, trustedCertificate } from "./trusted.js";
