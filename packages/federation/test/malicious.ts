// A coordinator that does as it likes with honest sites: it tells each what it wants, and keeps whatever it gets.
import {
  addSummand,
  type Box,
  type Crypto,
  contextOf,
  decodeSummand,
  digest,
  encodeMessage,
  enough,
  type Identity,
  identityOf,
  newDisk,
  newSecret,
  parseToSite,
  type Revealed,
  type Roster,
  realCrypto,
  type ShownMessage,
  type SignedMember,
  type SiteDisk,
  type SiteMachine,
  type Summand,
  siteMachine,
  statementHash,
  type ToCoordinator,
  type ToSite,
} from "@pliant/federation";
import { seededBytes } from "./seeded.js";

export interface Victim {
  readonly name: string;
  readonly identity: Identity;
  machine: SiteMachine<number>;
  readonly spec: string;
  readonly bound: number;
  readonly values: Float64Array;
  roster: Roster;
}

export interface Tried {
  readonly refusals: readonly string[];
  /** What came of it, where it came to shares. */
  readonly sum?: Summand;
  readonly survivors: readonly string[];
  /** Of the masks. */
  readonly context: string;
}

/** Honest sites, each with an update of its own; a site may have been given another bound than the others. */
export function victims(
  names: readonly string[],
  boundOf: (name: string) => number = () => 16,
  crypto: Crypto = realCrypto,
  least = 3,
): Map<string, Victim> {
  const identities = new Map(names.map((name) => [name, identityOf(newSecret(seededBytes(`id ${name}`)))]));
  const roster = Object.fromEntries(names.map((name) => [name, identities.get(name)!.key]));
  return new Map(
    names.map((name, i) => {
      const bound = boundOf(name);
      const victim: Omit<Victim, "machine"> = {
        ...{ name, identity: identities.get(name)!, spec: digest(`spec with bound ${bound}`), bound, roster },
        values: Float64Array.from({ length: 4 }, (_, k) => (i + 1) / 8 + k),
      };
      return [name, { ...victim, machine: started(victim, newDisk(0), crypto, least) }];
    }),
  );
}

const started = (
  { name, identity, roster, spec, bound }: Omit<Victim, "machine">,
  disk: SiteDisk<number>,
  crypto: Crypto,
  least = 3,
): SiteMachine<number> =>
  siteMachine(
    {
      ...{ run: "r", site: name, session: `${name} ${Math.random()}`, identity, roster, spec, bound, crypto },
      ...{ least, plain: false, random: seededBytes(`${name} ${JSON.stringify(disk)}`) },
    },
    8,
    disk,
  );

/** Killed and started again from its disk. */
export const restart = (victim: Victim, crypto: Crypto = realCrypto): void => {
  victim.machine = started(victim, victim.machine.disk, crypto);
};

/** Runs an attempt over these sites, as far as they let it, with a work of its own for each. */
export function attemptSum(
  sites: readonly Victim[],
  {
    exchange,
    attempt,
    shown,
    once,
  }: { exchange: number; attempt: number; shown: ShownMessage; once?: string },
  reveals = true,
  agrees = true,
): Tried {
  const id = { run: "r", exchange, attempt };
  const refusals: string[] = [];
  const uploads = new Map<string, Buffer>();
  const tell = (victim: Victim, message: ToSite): ToCoordinator[] => {
    const effects = victim.machine.handle({ kind: "message", message: parseToSite(encodeMessage(message)) });
    return effects.flatMap((effect) => answersOf(victim, effect));
  };
  const answersOf = (
    victim: Victim,
    effect: ReturnType<SiteMachine<number>["handle"]>[number],
  ): ToCoordinator[] => {
    if (effect.kind === "send") {
      if (effect.message.kind === "refuse") refusals.push(`${victim.name}: ${effect.message.reason}`);
      if (effect.message.kind === "complain")
        refusals.push(`${victim.name} complains of ${effect.message.of}`);
      return [effect.message];
    }
    if (effect.kind === "train") {
      const prepared = { values: victim.values, numbers: [victim.values[0]], next: effect.state + 1, once };
      const more = victim.machine.handle({ kind: "trained", shown: effect.hash, prepared });
      return more.flatMap((one) => answersOf(victim, one));
    }
    if (effect.kind === "upload") uploads.set(victim.name, effect.bytes);
    return [];
  };
  const members: SignedMember[] = [];
  const statements = new Map<string, string>();
  for (const victim of sites) {
    const { spec, roster } = victim;
    const statement = statementHash({ ...id, spec, roster, shown });
    statements.set(victim.name, statement);
    for (const said of tell(victim, { kind: "work", ...id, shown, statement, counted: null }))
      if (said.kind === "ready") members.push(said.member);
  }
  const there = sites.filter(({ name }) => members.some(({ site }) => site === name));
  const boxes = new Map<string, readonly Box[]>();
  for (const victim of there)
    for (const said of tell(victim, { kind: "cohort", ...id, members }))
      if (said.kind === "boxes") boxes.set(victim.name, said.boxes);
  const dealers = [...boxes.keys()];
  for (const victim of there.filter(({ name }) => boxes.has(name))) {
    const sent = dealers.flatMap((from) =>
      boxes.get(from)!.flatMap(({ to, ...box }) => (to === victim.name ? [{ from, ...box }] : [])),
    );
    tell(victim, { kind: "dealt", ...id, dealers, boxes: sent });
  }
  const survivors = [...uploads.keys()];
  const signatures: { site: string; signature: string }[] = [];
  for (const victim of agrees ? there.filter(({ name }) => uploads.has(name)) : [])
    for (const said of tell(victim, { kind: "survivors", ...id, survivors }))
      if (said.kind === "agree") signatures.push({ site: victim.name, signature: said.signature });
  const shares = new Map<string, Revealed>();
  if (reveals)
    for (const victim of there.filter(({ name }) => uploads.has(name)))
      for (const said of tell(victim, { kind: "agreed", ...id, signatures }))
        if (said.kind === "reveal") shares.set(victim.name, said);
  const context = contextOf(statements.get(survivors[0]) ?? "", members);
  const settled = { cohort: members, dealers: new Set(dealers), survivors: new Set(survivors), context };
  if (survivors.length === 0 || !enough(settled, shares)) return { refusals, survivors, context };
  const [sum, ...more] = [...uploads.values()].map(decodeSummand);
  for (const one of more) addSummand(sum, one);
  realCrypto.unmask(sum, settled, shares);
  return { refusals, survivors, context, sum };
}
