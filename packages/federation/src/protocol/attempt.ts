// What the coordinator has heard in one attempt at an exchange, and what it asks with it.
import type { Box, Revealed } from "../sums/index.js";
import type { CoordinatorPhase, LedgerState, SettledAttempt } from "./coordinator-events.js";
import type { SignedMember, ToSite } from "./messages.js";
import type { AttemptId, Roster } from "./transcript.js";

/** What an attempt has heard so far. */
export interface Attempt {
  readonly number: number;
  readonly roster: Roster;
  readonly statement: string;
  /** Those that are not asked, while it is found out who makes sums fail. */
  readonly benched: ReadonlySet<string>;
  readonly ready: Map<
    string,
    { readonly member: SignedMember; readonly session: string; readonly epsilon?: number }
  >;
  readonly boxes: Map<string, readonly Box[]>;
  readonly uploads: Map<string, string>;
  readonly agrees: Map<string, string>;
  readonly reveals: Map<string, Revealed>;
  /** Those that said they cannot, or that came back without their secrets. */
  readonly gone: Map<string, string>;
  members: readonly SignedMember[];
  dealers: ReadonlySet<string>;
  survivors: ReadonlySet<string>;
  context: string;
  /** Given up: the row that comes counts nobody. */
  voided: boolean;
}

export const newAttempt = (
  number: number,
  roster: Roster,
  statement: string,
  benched: ReadonlySet<string>,
): Attempt => ({
  number,
  roster,
  statement,
  benched,
  ready: new Map(),
  boxes: new Map(),
  uploads: new Map(),
  agrees: new Map(),
  reveals: new Map(),
  gone: new Map(),
  members: [],
  dealers: new Set(),
  survivors: new Set(),
  context: "",
  voided: false,
});

/** ε by site, as each said. */
export const spentIn = ({ ready }: Attempt): [string, number][] =>
  [...ready].flatMap(([site, { epsilon }]) => (epsilon === undefined ? [] : [[site, epsilon]]));

/** The uploads of the survivors, in the order of the clients. */
export const uploadsIn = ({ roster, survivors, uploads }: Attempt): [string, string][] =>
  Object.keys(roster)
    .filter((site) => survivors.has(site))
    .map((site) => [site, uploads.get(site)!]);

/** An attempt whose survivors are agreed on, as it is kept. */
export const settledOf = (at: Attempt, exchange: number, present: number): SettledAttempt => ({
  exchange,
  attempt: at.number,
  statement: at.statement,
  context: at.context,
  roster: at.roster,
  members: at.members,
  dealers: [...at.dealers],
  uploads: uploadsIn(at),
  agrees: [...at.agrees],
  spent: spentIn(at),
  present,
});

/** The way back: shares are asked for again. */
export function reopened(settled: SettledAttempt): Attempt {
  const spent = new Map(settled.spent);
  return {
    ...newAttempt(settled.attempt, settled.roster, settled.statement, new Set()),
    ready: new Map(
      settled.members.map((member) => [
        member.site,
        { member, session: "", epsilon: spent.get(member.site) },
      ]),
    ),
    members: settled.members,
    dealers: new Set(settled.dealers),
    survivors: new Set(settled.uploads.map(([site]) => site)),
    context: settled.context,
    uploads: new Map(settled.uploads),
    agrees: new Map(settled.agrees),
    reveals: new Map(settled.reveals ?? []),
  };
}

/** What a site that has not answered is asked in a phase. */
export function requestOf(
  phase: CoordinatorPhase,
  at: Attempt,
  { id, ledger, plain }: { readonly id: AttemptId; readonly ledger: LedgerState; readonly plain: boolean },
  site: string,
): ToSite {
  const { shown } = ledger;
  const counted = ledger.counted[site] ?? null;
  if (phase === "finished") return { kind: "finished", ...id, model: shown.model, counted };
  if (phase === "gathering") return { kind: "work", ...id, shown, statement: at.statement, counted };
  if (phase === "dealing" || (plain && phase === "uploading"))
    return { kind: "cohort", ...id, members: [...at.members] };
  if (phase === "uploading")
    return {
      kind: "dealt",
      ...id,
      dealers: [...at.dealers],
      boxes: [...at.dealers].flatMap((from) =>
        at.boxes
          .get(from)!
          .filter(({ to }) => to === site)
          .map(({ box }) => ({ from, box })),
      ),
    };
  if (phase === "agreeing") return { kind: "survivors", ...id, survivors: [...at.survivors] };
  const signatures = [...at.agrees].map(([signer, signature]) => ({ site: signer, signature }));
  return { kind: "agreed", ...id, signatures };
}
