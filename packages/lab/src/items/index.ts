// Every item of the paper, the plan over them, and the page that they come to.
import { federatedItems } from "./federated.js";
import { invarianceItems } from "./invariance.js";
import type { Item } from "./item.js";

export type { Claim, Comparison, Family, Finished, Item, PlannedRun, Shown, Size } from "./item.js";
export { type Page, type PageOptions, pageOf } from "./page.js";
export {
  failure,
  failureFile,
  finished,
  type ItemStatus,
  type PlanOptions,
  planOf,
  type Status,
  statusOf,
} from "./plan.js";
export { record } from "./record.js";
export { type Judged, judge, verdictOf } from "./verdict.js";
export { type Worked, work } from "./work.js";

export const items: readonly Item[] = [...invarianceItems, ...federatedItems];
