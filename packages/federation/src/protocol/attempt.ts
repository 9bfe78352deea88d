// What the coordinator has heard in one attempt at an exchange, and what it asks with it.
import type { Box, Revealed } from "../sums/index.js";
import type { CoordinatorPhase, LedgerState, SettledAttempt } from "./coordinator-events.js";
import type { SignedMember, ToSite } from "./messages.js";
import type { SettledGroup } from "./opened.js";
import { type Halves, halvesOf } from "./traced.js";
import type { AttemptId, Roster } from "./transcript.js";

/** Sites with a secure sum of their own. */
export interface Group {
  readonly members: readonly SignedMember[];
  readonly dealers: ReadonlySet<string>;
  readonly survivors: ReadonlySet<string>;
  readonly context: string;
}

/** As it is summed, in parts where someone is suspected. */
export const settledIn = ({ members, ...group }: Group, suspects: readonly string[]): SettledGroup => ({
  ...{ cohort: members, ...group, halves: halvesIn({ members, ...group }, suspects) },
});

export const halvesIn = (
  { members, context }: Pick<Group, "members" | "context">,
  suspects: readonly string[],
): readonly Halves[] =>
  halvesOf(
    context,
    members.map(({ site }) => site),
    suspects,
  );

export const membersIn = ({ groups }: Attempt): string[] =>
  groups.flatMap(({ members }) => members.map(({ site }) => site));
export const dealersIn = ({ groups }: Attempt): string[] => groups.flatMap(({ dealers }) => [...dealers]);
export const survivorsIn = ({ groups }: Attempt): string[] =>
  groups.flatMap(({ survivors }) => [...survivors]);

/** What an attempt has heard so far. */
export interface Attempt {
  readonly number: number;
  readonly roster: Roster;
  readonly statement: string;
  /** Among whom the site at fault is looked for by a sum in parts; nobody where the sum is in one piece. */
  readonly suspects: readonly string[];
  /** Those that are not asked, while it is found out who makes sums fail. */
  readonly benched: ReadonlySet<string>;
  /** Who was drawn for the round, by the group that sums together. */
  readonly drawn: readonly (readonly string[])[];
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
  /** Those that sum together, once all are ready; a group that falls below its least is left out. */
  groups: readonly Group[];
  /** Given up: the row that comes counts nobody. */
  voided: boolean;
}

export const newAttempt = (
  number: number,
  roster: Roster,
  statement: string,
  drawn: readonly (readonly string[])[],
  {
    suspects = [],
    benched = new Set(),
  }: { readonly suspects?: readonly string[]; readonly benched?: ReadonlySet<string> } = {},
): Attempt => ({
  number,
  roster,
  statement,
  drawn,
  suspects,
  benched,
  ready: new Map(),
  boxes: new Map(),
  uploads: new Map(),
  agrees: new Map(),
  reveals: new Map(),
  gone: new Map(),
  groups: [],
  voided: false,
});

/** ε by site, as each said. */
export const spentIn = ({ ready }: Attempt): [string, number][] =>
  [...ready].flatMap(([site, { epsilon }]) => (epsilon === undefined ? [] : [[site, epsilon]]));

/** The uploads of the survivors, in the order of the clients. */
export function uploadsIn(at: Attempt): [string, string][] {
  const survivors = new Set(survivorsIn(at));
  return Object.keys(at.roster)
    .filter((site) => survivors.has(site))
    .map((site) => [site, at.uploads.get(site)!]);
}

/** An attempt whose survivors are agreed on, as it is kept. */
export const settledOf = (at: Attempt, exchange: number, present: number): SettledAttempt => ({
  exchange,
  attempt: at.number,
  statement: at.statement,
  ...(at.suspects.length > 0 && { suspects: at.suspects }),
  roster: at.roster,
  groups: at.groups.map(({ members, dealers, survivors, context }) => ({
    ...{ members, context, dealers: [...dealers], survivors: [...survivors] },
  })),
  uploads: uploadsIn(at),
  agrees: [...at.agrees],
  spent: spentIn(at),
  present,
});

/** The way back: shares are asked for again. */
export function reopened(settled: SettledAttempt): Attempt {
  const spent = new Map(settled.spent);
  return {
    ...newAttempt(settled.attempt, settled.roster, settled.statement, [], settled),
    ready: new Map(
      settled.groups
        .flatMap(({ members }) => members)
        .map((member) => [member.site, { member, session: "", epsilon: spent.get(member.site) }]),
    ),
    groups: settled.groups.map(({ members, context, dealers, survivors }) => ({
      ...{ members, context, dealers: new Set(dealers), survivors: new Set(survivors) },
    })),
    uploads: new Map(settled.uploads),
    agrees: new Map(settled.agrees),
    reveals: new Map(settled.reveals ?? []),
  };
}

interface Passed {
  readonly from: string;
  readonly box: string;
}

// Sorted once for all that are asked.
const sorted = new WeakMap<ReadonlySet<string>, ReadonlyMap<string, Passed[]>>();

/** What dealers have dealt, by the site that it is for. */
function boxesFor(
  dealers: ReadonlySet<string>,
  boxes: ReadonlyMap<string, readonly Box[]>,
): ReadonlyMap<string, Passed[]> {
  const known = sorted.get(dealers);
  if (known) return known;
  const passed = new Map<string, Passed[]>();
  for (const from of dealers)
    for (const { to, box } of boxes.get(from)!) {
      const own = passed.get(to);
      if (own) own.push({ from, box });
      else passed.set(to, [{ from, box }]);
    }
  sorted.set(dealers, passed);
  return passed;
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
  if (phase === "gathering") {
    const { statement, suspects } = at;
    return {
      kind: "work",
      ...id,
      shown,
      statement,
      counted,
      ...(suspects.length > 0 && { suspects: [...suspects] }),
    };
  }
  const { members, dealers, survivors } = at.groups.find((group) => group.dealers.has(site))!;
  if (phase === "dealing" || (plain && phase === "uploading"))
    return { kind: "cohort", ...id, members: [...members] };
  if (phase === "uploading")
    return {
      kind: "dealt",
      ...id,
      dealers: [...dealers],
      boxes: boxesFor(dealers, at.boxes).get(site) ?? [],
    };
  if (phase === "agreeing") return { kind: "survivors", ...id, survivors: [...survivors] };
  const signatures = [...at.agrees]
    .filter(([signer]) => survivors.has(signer))
    .map(([signer, signature]) => ({ site: signer, signature }));
  return { kind: "agreed", ...id, signatures };
}
