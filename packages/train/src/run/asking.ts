// What every run notes about itself.
import type { Backend } from "@pliant/engine";
import { type Circumstances, circumstances } from "@pliant/learn/runs";

/** The settings of a run: with them and the checkpoint, a resumed run reaches the same numbers. */
export interface Start extends Circumstances {
  readonly seed: number;
}

export const asking = (seed: number, backend: Backend): Start => ({ seed, ...circumstances(backend) });
