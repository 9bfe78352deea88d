// Every metric that a spec can name.
import { answerKinds } from "./answers.js";
import { calibrationKinds } from "./calibration.js";
import { countKinds } from "./counts.js";
import { gapKinds } from "./gaps.js";
import type { MetricKind } from "./kind.js";
import { marginKinds } from "./margin.js";
import { numberKinds } from "./numbers.js";
import { ownKinds } from "./own.js";
import { rankingKinds } from "./ranking.js";
import { sizeKinds } from "./size.js";
import { slopeKinds } from "./slopes.js";
import { tailKinds } from "./tail.js";

export const kinds = [
  ...answerKinds,
  ...gapKinds,
  ...countKinds,
  ...rankingKinds,
  ...tailKinds,
  ...numberKinds,
  ...calibrationKinds,
  ...slopeKinds,
  ...marginKinds,
  ...sizeKinds,
  ...ownKinds,
] as const;

export type MetricName = (typeof kinds)[number]["name"];

const byName = new Map(kinds.map((kind) => [kind.name, kind as unknown as MetricKind<MetricName, never>]));

export const kindOf = (name: MetricName): MetricKind<MetricName, never> => byName.get(name)!;
