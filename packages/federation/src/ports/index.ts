// Where messages, models and facts go.
export { type Blobs, checkedBlob, memoryBlobs } from "./blobs.js";
export { type CoordinatorBus, type MemoryBus, memoryBus, type SiteBus, type SiteListener } from "./bus.js";
export { readIfThere, writeDurably } from "./files.js";
export { folderBlobs } from "./folder-blobs.js";
export { type Ledger, type LedgerRow, type LedgerSite, memoryLedger } from "./ledger.js";
export { decodePlain, encodePlain } from "./plain.js";
export { postgresLedger } from "./postgres-ledger.js";
export { sqliteLedger } from "./sqlite-ledger.js";
