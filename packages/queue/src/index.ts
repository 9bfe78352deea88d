export { idOf, type Job, type Outcome } from "./job.js";
export { openQueue, type Queue, type Taken } from "./queue.js";
export { type QueueOptions, readAddress } from "./server.js";
