// The peers' answers on a table: LightGBM's, and Fairlearn's for a gap.
import { join } from "node:path";
import type { Peer } from "../peer.js";
import type { Ready } from "./ours.js";
import type { Answers } from "./score.js";

interface Theirs {
  readonly seconds: number;
  readonly given: number[];
  readonly probability?: number[];
  readonly score?: number[];
  readonly held?: { readonly score: number[]; readonly y: number[]; readonly group: string[] };
}

const files = ({ folder }: Ready) => ({ train: join(folder, "learnt.csv"), test: join(folder, "test.csv") });

/** LightGBM's answers and its scores of folds, as the free model's are. */
export async function boosted(peer: Peer, ready: Ready) {
  const found = await peer.ask<Theirs>({ peer: "lightgbm", ...files(ready) });
  const { score, y, group } = found.held!;
  const answers: Answers = {
    ...{ given: found.given, seconds: found.seconds, score: found.score! },
    right: found.probability!.map((p, i) => (Number(ready.test.y[i]) === 1 ? p : 1 - p)),
  };
  return { answers, held: { scores: score.map((s) => [s]), rows: { y, group } } };
}

/** Fairlearn at three bounds, as its error falls with the gap that it may leave; and its threshold optimiser. */
export async function fair(peer: Peer, ready: Ready, kind: string): Promise<Record<string, Answers>> {
  const ask = (more: object): Promise<Answers> => peer.ask<Theirs>({ ...files(ready), kind, ...more });
  const found: Record<string, Answers> = { "threshold optimiser": await ask({ peer: "thresholds" }) };
  for (const bound of [0.01, 0.03, 0.06])
    found[`exponentiated gradient ${bound}`] = await ask({ peer: "exponentiated", bound });
  return found;
}
