// Where messages, models and facts go.
export { type Blobs, checkedBlob, memoryBlobs } from "./blobs.js";
export { type CoordinatorBus, type MemoryBus, memoryBus, type SiteBus, type SiteListener } from "./bus.js";
export { readIfThere, sealed, unsealed, writeDurably } from "./files.js";
export { folderBlobs } from "./folder-blobs.js";
export {
  type AgreedGroup,
  fileLedger,
  type Ledger,
  type LedgerEntry,
  type LedgerRow,
  type LedgerSite,
  memoryLedger,
  postgresLedger,
} from "./ledger.js";
export { HeldError, type Lease } from "./log.js";
export { decodePlain, encodePlain } from "./plain.js";
export { readS3Address, type S3Options, s3Blobs } from "./s3-blobs.js";
