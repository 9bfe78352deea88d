// What a site knows of the attempt that it takes part in.
import type { Dealt, Held, Secrets } from "../sums/index.js";
import type { SignedMember, ToCoordinator } from "./messages.js";
import type { Position, SiteDisk, SitePhase } from "./site-events.js";
import type { Halves } from "./traced.js";
import type { AttemptId, Roster } from "./transcript.js";

/** The phase in which a request has been answered; asked again, the site says the same. */
export const answered = { cohort: "shared", dealt: "uploaded", survivors: "agreed" } as const;

/** What a site has become, and the last exchange that it knows it was counted in. */
export type Stands<S> = Pick<SiteDisk<S>, "state" | "counted">;

export interface Attempt<S> extends AttemptId {
  phase: SitePhase;
  readonly step: number;
  readonly part: number;
  readonly shown: string;
  readonly model: string;
  readonly past: string;
  readonly statement: string;
  readonly roster: Roster;
  /** What it is by then, which is not on its disk before something leaves. */
  readonly stands: Stands<S>;
  /** Where the sum is taken in parts. */
  readonly suspects: readonly string[];
  secrets?: Secrets;
  members?: readonly SignedMember[];
  context?: string;
  halves?: readonly Halves[];
  dealt?: Dealt;
  once?: string;
  held: Map<string, Held>;
  survivors?: ReadonlySet<string>;
  /** What it answered last; said again when it is asked again. */
  answer?: ToCoordinator;
}

export const begunBefore = ({ exchange, attempt }: Position): string =>
  `This site took part in attempt ${attempt} at exchange ${exchange}; it begins only attempts after that.`;

export const final = ({ exchange }: Position): string =>
  `This site has helped to open the sum of exchange ${exchange}: it is final, and this site helps no second one.`;
