// Names for gaps between groups, as fairness uses them.
import { by, groupsBy, ofClass, under } from "../grammar/keys.js";
import { kind, ofDecisions } from "./kind.js";

const keys = { by: groupsBy, only: by.only, ...under, ...ofClass };

export const gapKinds = [
  kind({
    ...ofDecisions,
    name: "demographic-parity",
    keys,
    row: ["`positive-rate` with `gap: true`; it bounds gaps on both sides", ""],
    gaps: [{ metric: "positive-rate" }],
  }),
  kind({
    ...ofDecisions,
    name: "equalised-odds",
    keys,
    row: ["`false-positive-rate` and `false-negative-rate`, each with `gap: true`", ""],
    gaps: [
      { metric: "false-positive-rate", called: "false positives" },
      { metric: "false-negative-rate", called: "false negatives" },
    ],
  }),
] as const;
