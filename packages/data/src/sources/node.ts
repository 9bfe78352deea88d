// Sources that need Node: addresses, databases, and files that a package reads.
export { readArrow } from "./arrow.js";
export { localCopy } from "./remote.js";
export { readSqlite } from "./sqlite.js";
