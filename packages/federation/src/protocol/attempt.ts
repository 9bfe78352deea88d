// What the coordinator has heard in one attempt at an exchange, and what it asks with it.
import { type Box, type Held, type Marks, markOf, neighboursOf, type Revealed } from "../sums/index.js";
import type { CoordinatorPhase, LedgerState, SettledAttempt } from "./coordinator-events.js";
import type { SignedMember, Since, ToSite } from "./messages.js";
import type { SettledGroup } from "./opened.js";
import { type Halves, halvesOf } from "./traced.js";
import type { AttemptId, Roster } from "./transcript.js";

/** Sites with a secure sum of their own. */
export interface Group {
  readonly members: readonly SignedMember[];
  /** The names of its members. */
  readonly sites: ReadonlySet<string>;
  readonly survivors: ReadonlySet<string>;
  readonly context: string;
  /** Of the shares that a revealed sum takes, by dealer and holder; once survivors are agreed on. */
  readonly marks?: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** What a site dealt: boxes for others, and the marks of what it keeps. */
export interface Dealing {
  readonly boxes: readonly Box[];
  readonly own: Marks;
}

/** A holder's word that a box does not hold what its dealer committed to. */
export interface Complaint {
  readonly by: string;
  readonly of: string;
  readonly box: string;
  readonly signature: string;
  /** When its dealer was asked first. */
  readonly since: number;
}

/** Whether a dealer dealt to all that it should. */
export const isWhole = ({ members }: Group, from: string, { boxes }: Dealing): boolean => {
  const around = new Set(
    neighboursOf(members)
      .get(from)!
      .map(({ site }) => site),
  );
  return boxes.length === around.size && boxes.every(({ to }) => around.delete(to));
};

/** The marks of shares that are revealed: of the own mask of survivors, of the pairwise masks of the others. */
const marksIn = ({ sites, survivors }: Group, dealt: Attempt["boxes"]): NonNullable<Group["marks"]> =>
  new Map(
    [...sites].map((of) => {
      const kind = survivors.has(of) ? "self" : "mask";
      const { boxes, own } = dealt.get(of)!;
      return [of, new Map([[of, own[kind]], ...boxes.map((box) => [box.to, box[kind]] as const)])];
    }),
  );

/** Whether all shares that a site reveals, of those that are asked for, are those that it was dealt. */
export function isTruthful({ members, survivors, marks }: Group, from: string, shares: Revealed): boolean {
  const dealers = [
    from,
    ...neighboursOf(members)
      .get(from)!
      .map(({ site }) => site),
  ];
  return dealers.every((of) => {
    const mark = marks!.get(of)?.get(from);
    if (mark === undefined) return true;
    const kind = survivors.has(of) ? shares.selves : shares.masks;
    return Object.hasOwn(kind, of) && markOf(kind[of]) === mark;
  });
}

/** As it is summed, in parts where someone is suspected. */
export const settledIn = (
  { members, survivors, context }: Group,
  suspects: readonly string[],
): SettledGroup => ({
  ...{ cohort: members, survivors, context, halves: halvesIn({ members, context }, suspects) },
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

/** Their names. */
export const namesOf = (members: readonly SignedMember[]): ReadonlySet<string> =>
  new Set(members.map(({ site }) => site));

export const membersIn = ({ groups }: Attempt): string[] =>
  groups.flatMap(({ members }) => members.map(({ site }) => site));
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
  readonly boxes: Map<string, Dealing>;
  /** By dealer and holder, and what dealers answered. */
  readonly complaints: Map<string, Complaint>;
  readonly openings: Map<string, Held>;
  readonly uploads: Map<string, string>;
  readonly agrees: Map<string, string>;
  readonly reveals: Map<string, Revealed>;
  /** Those that said they cannot, or that came back without their secrets. */
  readonly gone: Map<string, string>;
  /** Those that sum together, once all are ready; a group that falls below its least is left out. */
  groups: readonly Group[];
  /** Those that are left out because their floors cannot be met, and why. */
  readonly without: Map<string, string>;
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
  complaints: new Map(),
  openings: new Map(),
  uploads: new Map(),
  agrees: new Map(),
  reveals: new Map(),
  gone: new Map(),
  groups: [],
  without: new Map(),
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
  groups: at.groups.map((group) => ({
    ...{ members: group.members, context: group.context },
    survivors: [...group.survivors],
    marks: [...(group.marks ?? marksIn(group, at.boxes))].map(([of, by]) => [of, [...by]] as const),
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
    groups: settled.groups.map(({ members, context, survivors, marks }) => ({
      ...{ members, context, sites: namesOf(members), survivors: new Set(survivors) },
      marks: new Map(marks.map(([of, by]) => [of, new Map(by)])),
    })),
    uploads: new Map(settled.uploads),
    agrees: new Map(settled.agrees),
    reveals: new Map(settled.reveals ?? []),
  };
}

interface Passed extends Omit<Box, "to"> {
  readonly from: string;
}

// Sorted once for all that are asked.
const sorted = new WeakMap<ReadonlySet<string>, ReadonlyMap<string, Passed[]>>();

/** What a group has dealt, by the site that it is for. */
function boxesFor({ sites }: Group, dealt: ReadonlyMap<string, Dealing>): ReadonlyMap<string, Passed[]> {
  const known = sorted.get(sites);
  if (known) return known;
  const passed = new Map<string, Passed[]>();
  for (const from of sites)
    for (const { to, ...box } of dealt.get(from)!.boxes) {
      const own = passed.get(to);
      if (own) own.push({ from, ...box });
      else passed.set(to, [{ from, ...box }]);
    }
  sorted.set(sites, passed);
  return passed;
}

/** What a site that has not answered is asked in a phase. */
export function requestOf(
  phase: CoordinatorPhase,
  at: Attempt,
  {
    id,
    ledger,
    plain,
    since: sinceOf,
  }: {
    readonly id: AttemptId;
    readonly ledger: LedgerState;
    readonly plain: boolean;
    readonly since: (site: string) => Since | undefined;
  },
  site: string,
): ToSite {
  const { shown } = ledger;
  const since = phase === "finished" || phase === "gathering" ? sinceOf(site) : undefined;
  const told = since && { since };
  if (phase === "finished") return { kind: "finished", ...id, model: shown.model, past: shown.past, ...told };
  if (phase === "gathering") {
    const { statement, suspects } = at;
    return {
      kind: "work",
      ...id,
      shown,
      statement,
      ...told,
      ...(suspects.length > 0 && { suspects: [...suspects] }),
    };
  }
  const group = at.groups.find(({ sites }) => sites.has(site))!;
  const { members, survivors } = group;
  if (phase === "dealing" || (plain && phase === "uploading"))
    return { kind: "cohort", ...id, members: [...members] };
  if (phase === "uploading")
    return {
      kind: "dealt",
      ...id,
      boxes: (boxesFor(group, at.boxes).get(site) ?? []).map((box) => {
        const opened = at.openings.get(`${box.from} ${site}`);
        return opened ? { ...box, opened } : box;
      }),
    };
  if (phase === "agreeing") return { kind: "survivors", ...id, survivors: [...survivors] };
  const signatures = [...at.agrees]
    .filter(([signer]) => survivors.has(signer))
    .map(([signer, signature]) => ({ site: signer, signature }));
  return { kind: "agreed", ...id, signatures };
}
