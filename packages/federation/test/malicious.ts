// A coordinator that does as it likes with honest sites: it tells each a story of its own, has the secrets of members that
// collude with it, and keeps whatever it gets.
import { InputError } from "@pliant/core";
import { fractionBits, fromWords } from "@pliant/federated";
import {
  addMask,
  addSummand,
  type Box,
  type Crypto,
  combine,
  contextOf,
  decodeSummand,
  digest,
  encodeMessage,
  enough,
  firstPast,
  type Held,
  halvesOf,
  holdersOf,
  type Identity,
  identityOf,
  neighboursOf,
  newDisk,
  newSecret,
  type Outcome,
  outcomeOf,
  parseToSite,
  partContext,
  partsOf,
  pastAfter,
  publicKey,
  type Revealed,
  type Roster,
  realCrypto,
  type Secrets,
  type ShownMessage,
  type SignedMember,
  type Since,
  type SiteDisk,
  type SiteMachine,
  type Summand,
  sinceFor,
  siteMachine,
  statementHash,
  type ToCoordinator,
  type ToSite,
} from "@pliant/federation";
import { pairKey, selfKey, signOf } from "../src/sums/site.js";
import { seededBytes } from "./seeded.js";

export interface Victim {
  readonly name: string;
  readonly identity: Identity;
  machine: SiteMachine<number>;
  readonly spec: string;
  readonly bound: number;
  readonly least: number;
  readonly values: Float64Array;
  roster: Roster;
  /** How exchanges ended, of all victims together. */
  readonly ended: Map<number, Outcome>;
  /** What the coordinator has of it, if it colludes: its secrets, and the shares that it holds of others. */
  readonly colluding: { secrets?: Secrets; readonly held: Map<string, Held> };
}

/** What a site is told, where that is not what all are told. */
export interface Story {
  /** How the exchanges before ended. */
  readonly ended?: ReadonlyMap<number, Outcome>;
  /** What it says of its last attempt, if it does not tell what is in the statement. */
  readonly since?: (honest: Since) => Since;
  readonly shown?: ShownMessage;
  /** With whom it sums. */
  readonly cohort?: readonly string[];
  /** Whose boxes it gets. */
  readonly dealers?: readonly string[];
  readonly survivors?: readonly string[];
}

export interface Tried {
  readonly refusals: readonly string[];
  /** What came of it, where it came to shares. */
  readonly sum?: Summand;
  readonly survivors: readonly string[];
  readonly members: readonly SignedMember[];
  readonly uploads: ReadonlyMap<string, Buffer>;
  readonly shares: ReadonlyMap<string, Revealed>;
  /** Of the masks of a site. */
  contextOf(name: string): string;
  readonly suspects: readonly string[];
}

const clients = 16;

/** What differs between victims. */
export interface VictimOptions {
  readonly boundOf?: (name: string) => number;
  readonly crypto?: Crypto;
  readonly leastOf?: (name: string) => number;
}

/** Honest sites, each with an update of its own. */
export function victims(
  names: readonly string[],
  { boundOf = () => 16, crypto = realCrypto, leastOf = () => 3 }: VictimOptions = {},
): Map<string, Victim> {
  const identities = new Map(names.map((name) => [name, identityOf(newSecret(seededBytes(`id ${name}`)))]));
  const roster = Object.fromEntries(names.map((name) => [name, identities.get(name)!.key]));
  const ended = new Map<number, Outcome>();
  return new Map(
    names.map((name, i) => {
      const bound = boundOf(name);
      const victim: Omit<Victim, "machine"> = {
        ...{ name, identity: identities.get(name)!, spec: digest(`spec with bound ${bound}`), bound, roster },
        values: Float64Array.from({ length: 4 }, (_, k) => (i + 1) / 8 + k),
        ...{ least: leastOf(name), ended, colluding: { held: new Map() } },
      };
      return [name, { ...victim, machine: started(victim, newDisk(0), crypto) }];
    }),
  );
}

/** Keeps what a site knows, for those that collude. */
const overheard = (crypto: Crypto, { colluding }: Pick<Victim, "colluding">): Crypto => ({
  ...crypto,
  newSecrets: (random) => {
    colluding.secrets = crypto.newSecrets(random);
    colluding.held.clear();
    return colluding.secrets;
  },
  openBox: (me, secrets, from, ...more) => {
    const held = crypto.openBox(me, secrets, from, ...more);
    colluding.held.set(from.site, held);
    return held;
  },
});

const started = (
  victim: Omit<Victim, "machine">,
  disk: SiteDisk<number>,
  crypto: Crypto,
): SiteMachine<number> => {
  const { name, identity, roster, spec, bound, least } = victim;
  return siteMachine(
    {
      ...{ run: "r", site: name, session: `${name} ${Math.random()}`, identity, roster, spec, bound },
      ...{ least, plain: false, random: seededBytes(`${name} ${JSON.stringify(disk)}`) },
      crypto: overheard(crypto, victim),
    },
    clients,
    disk,
  );
};

/** Killed and started again from its disk. */
export const restart = (victim: Victim, crypto: Crypto = realCrypto): void => {
  victim.machine = started(victim, victim.machine.disk, crypto);
};

/** Says one thing to a site, and hears all that comes of it. */
export function tell(victim: Victim, message: ToSite, heard: (effect: Heard) => void, once?: string): void {
  const take = (effect: Effect): void => {
    if (effect.kind === "send" || effect.kind === "upload") heard(effect);
    if (effect.kind !== "train") return;
    const prepared = { values: victim.values, numbers: [victim.values[0]], next: effect.state + 1, once };
    for (const more of victim.machine.handle({ kind: "trained", shown: effect.hash, prepared })) take(more);
  };
  const { machine } = victim;
  for (const effect of machine.handle({ kind: "message", message: parseToSite(encodeMessage(message)) }))
    take(effect);
}
type Effect = ReturnType<SiteMachine<number>["handle"]>[number];
type Heard = Extract<Effect, { kind: "send" | "upload" }>;

/** All exchanges before one; given up where nothing came of them. */
function outcomesBefore(exchange: number, ended: ReadonlyMap<number, Outcome>): Outcome[] {
  const nothing = { attempt: 0, statement: digest("nothing"), groups: null };
  return Array.from({ length: exchange }, (_, e) => ended.get(e) ?? outcomeOf(e, nothing));
}

/** What an honest coordinator would tell a site. */
function honestly(victim: Victim, exchange: number, ended: ReadonlyMap<number, Outcome>) {
  const outcomes = outcomesBefore(exchange, ended);
  const past = outcomes.reduce(pastAfter, firstPast("r"));
  const last = victim.machine.disk.tentative;
  return { past, since: last ? sinceFor(outcomes, last.exchange, last.group) : undefined };
}

export interface AttemptOptions {
  readonly exchange: number;
  readonly attempt: number;
  readonly shown: ShownMessage;
  readonly once?: string;
  readonly suspects?: readonly string[];
  readonly stories?: Readonly<Record<string, Story>>;
  /** The last thing that it asks for; shares unless given. */
  readonly until?: "uploads" | "signatures" | "shares";
}

/** Runs an attempt over these sites, as far as they let it, with a story for each. */
export function attemptSum(sites: readonly Victim[], options: AttemptOptions): Tried {
  const { exchange, attempt, once, suspects = [], stories = {}, until = "shares" } = options;
  const id = { run: "r", exchange, attempt };
  const refusals: string[] = [];
  const uploads = new Map<string, Buffer>();
  const statements = new Map<string, string>();
  const ask = (victim: Victim, message: ToSite): ToCoordinator[] => {
    const said: ToCoordinator[] = [];
    const hear = (effect: Heard) => {
      if (effect.kind === "upload") return void uploads.set(victim.name, effect.bytes);
      const { message: answer } = effect;
      if (answer.kind === "refuse") refusals.push(`${victim.name}: ${answer.reason}`);
      if (answer.kind === "complain") refusals.push(`${victim.name} complains of ${answer.of}`);
      said.push(answer);
    };
    tell(victim, message, hear, once);
    return said;
  };
  const members: SignedMember[] = [];
  for (const victim of sites) {
    const { spec, roster, name } = victim;
    const story = stories[name];
    const { past, since } = honestly(victim, exchange, story?.ended ?? victim.ended);
    const told = since && { since: story?.since?.(since) ?? since };
    const shown = { ...(story?.shown ?? options.shown), past };
    const statement = statementHash({ ...id, spec, roster, shown, suspects });
    statements.set(name, statement);
    const more = suspects.length > 0 && { suspects: [...suspects] };
    for (const said of ask(victim, { kind: "work", ...id, shown, statement, ...told, ...more }))
      if (said.kind === "ready") members.push(said.member);
  }
  const there = sites.filter(({ name }) => members.some(({ site }) => site === name));
  const toldMembers = (name: string) => {
    const { cohort } = stories[name] ?? {};
    return cohort ? members.filter(({ site }) => cohort.includes(site)) : members;
  };
  const boxes = new Map<string, readonly Box[]>();
  for (const victim of there)
    for (const said of ask(victim, { kind: "cohort", ...id, members: toldMembers(victim.name) }))
      if (said.kind === "boxes") boxes.set(victim.name, said.boxes);
  for (const victim of there.filter(({ name }) => boxes.has(name))) {
    const dealers = stories[victim.name]?.dealers ?? [...boxes.keys()];
    const sent = dealers.flatMap((from) =>
      (boxes.get(from) ?? []).flatMap(({ to, ...box }) => (to === victim.name ? [{ from, ...box }] : [])),
    );
    ask(victim, { kind: "dealt", ...id, boxes: sent });
  }
  const survivors = [...uploads.keys()];
  const toldSurvivors = (name: string) => [...(stories[name]?.survivors ?? survivors)];
  const signatures = new Map<string, { site: string; signature: string }[]>();
  for (const victim of until === "uploads" ? [] : there.filter(({ name }) => uploads.has(name))) {
    const named = toldSurvivors(victim.name);
    for (const said of ask(victim, { kind: "survivors", ...id, survivors: named }))
      if (said.kind === "agree") {
        const set = named.join();
        const signed = { site: victim.name, signature: said.signature };
        signatures.set(set, [...(signatures.get(set) ?? []), signed]);
      }
  }
  const shares = new Map<string, Revealed>();
  for (const victim of until === "shares" ? there.filter(({ name }) => uploads.has(name)) : [])
    for (const said of ask(victim, {
      ...{ kind: "agreed", ...id },
      signatures: signatures.get(toldSurvivors(victim.name).join()) ?? [],
    }))
      if (said.kind === "reveal") shares.set(victim.name, said);
  const context = (name: string) => contextOf(statements.get(name) ?? "", toldMembers(name));
  const tried = { refusals, survivors, members, uploads, shares, suspects, contextOf: context };
  const [first] = survivors;
  const settled = { cohort: members, survivors: new Set(survivors), context: context(first) };
  if (first === undefined || suspects.length > 0 || !enough(settled, shares)) return tried;
  const [sum, ...more] = [...uploads.values()].map(decodeSummand);
  for (const one of more) addSummand(sum, one);
  try {
    realCrypto.unmask(sum, settled, shares);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return tried;
  }
  const groups = [survivors];
  sites[0].ended.set(exchange, outcomeOf(exchange, { attempt, statement: statements.get(first)!, groups }));
  return { ...tried, sum };
}

/**
 * What is left of an upload without all masks that the coordinator and these colluders can take away: those with members whose
 * secret it has, from a colluder or from shares, and the site's own if it has that seed.
 */
export function reading(
  { members, uploads, shares, contextOf: contextFor, suspects }: Tried,
  victim: Victim,
  colluders: readonly Victim[] = [],
): number {
  const { name, bound } = victim;
  const context = contextFor(name);
  const cohort = members;
  const around = neighboursOf(cohort);
  const secretOf = (kind: "mask" | "self", of: string): Buffer | undefined => {
    const known = colluders.find((one) => one.name === of)?.colluding.secrets;
    if (known) return known[kind];
    const found = holdersOf(of, around.get(of)!).flatMap((holder, i) => {
      const own = colluders.find((one) => one.name === holder)?.colluding.held.get(of)?.[kind];
      const share = own ?? shares.get(holder)?.[kind === "mask" ? "masks" : "selves"][of];
      return share === undefined ? [] : [{ x: i + 1, y: BigInt(`0x${share}`) }];
    });
    const member = members.find(({ site }) => site === of)!;
    for (let t = 2; t <= found.length; t++)
      try {
        const secret = combine(found, t);
        if ((kind === "self" ? digest(secret) : publicKey(secret)) === member[kind]) return secret;
      } catch {}
    return undefined;
  };
  const upload = uploads.get(name);
  if (!upload) return Number.NaN;
  const summand = decodeSummand(upload);
  const names = members.map(({ site }) => site);
  const halves = halvesOf(context, names, suspects);
  const [self, mine] = [secretOf("self", name), secretOf("mask", name)];
  for (const [k, part] of partsOf(summand, Math.max(1, halves.length)).entries()) {
    const own = halves.length > 0 ? partContext(context, k) : context;
    const half = halves[k]?.find((sites) => sites.has(name)) ?? new Set(names);
    if (self) addMask(part, selfKey(self, own), -1);
    for (const { site, mask } of around.get(name)!.filter((other) => half.has(other.site))) {
      const pair = [name, site] as const;
      const theirs = secretOf("mask", site);
      const key = mine ? pairKey(mine, mask, own, pair) : undefined;
      const found = key ?? (theirs && pairKey(theirs, members.find((m) => m.site === name)!.mask, own, pair));
      if (found) addMask(part, found, -signOf(name, site) as 1 | -1);
    }
  }
  return fromWords(summand.words, fractionBits(clients, bound))[0];
}
