// What every run notes about itself.
import type { Backend } from "@pliant/engine";
import { type Circumstances, circumstances } from "@pliant/learn/runs";

/** What was asked of a run: with it and the checkpoint, the run goes on to the same numbers. */
export interface Start extends Circumstances {
  readonly seed: number;
}

export const asking = (seed: number, backend: Backend): Start => ({ seed, ...circumstances(backend) });
