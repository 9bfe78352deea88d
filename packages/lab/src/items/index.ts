// Every item of the paper, the plan over them, and the page that they come to.
import { federatedItems } from "./federated.js";
import { invarianceItems } from "./invariance.js";
import type { Item } from "./item.js";

export { type PageOptions, type Pages, pagesOf } from "../page/page.js";
export type { Claim, Comparison, Family, Finished, Item, PlannedRun, Shown, Size } from "./item.js";
export {
  failure,
  failureFile,
  finished,
  type ItemStatus,
  missingOf,
  type PlanOptions,
  planOf,
  type Status,
  statusOf,
} from "./plan.js";
export { record } from "./record.js";
export { type Judged, judge, type Outcome, tally, verdictOf } from "./verdict.js";
export { type Worked, work } from "./work.js";

export const items: readonly Item[] = [...invarianceItems, ...federatedItems];
