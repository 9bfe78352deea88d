// A coordinator written by hand over real sites: it shows what it likes, and opens the sums that they help to open.

import { reference } from "@pliant/engine";
import {
  flattenSums,
  fractionBits,
  fromWhole,
  fromWords,
  initialParams,
  type Pool,
  type Sums,
  unflattenSums,
  zerosLike,
} from "@pliant/federated";
import {
  type Agreed,
  addSummand,
  contextOf,
  decodeSummand,
  emptySummand,
  encodeMessage,
  type FederationSpec,
  firstPast,
  halvesOf,
  type Identity,
  memoryBlobs,
  memoryBus,
  networkOptions,
  type Outcome,
  outcomeOf,
  parseToCoordinator,
  partContext,
  partsOf,
  pastAfter,
  type Revealed,
  type Roster,
  realCrypto,
  type ShownMessage,
  type SignedMember,
  type SiteTable,
  sinceFor,
  siteTable,
  specHash,
  statementHash,
  type ToCoordinator,
  type ToSite,
  takePart,
} from "@pliant/federation";
import { encodeModel } from "../src/run/model-blob.js";
import { summandsOf } from "../src/spec/spec.js";
import { rosterOf, sitesOf, storeOn } from "./in-process.js";
import { seededNumbers } from "./seeded.js";

/** What the spec's seed gives. */
export function firstModel(spec: FederationSpec): Sums {
  const told = networkOptions(spec, reference());
  const update = initialParams(told);
  return { update, shared: told.solver.shares ? zerosLike(update) : {} };
}

/** The same with one coordinate moved. */
export function movedBy(model: Sums, by: number): Sums {
  const flat = flattenSums(model);
  flat[3] += by;
  return unflattenSums(flat, model);
}

/** A table of site c, whose rows lie around 10c; its groups have different sizes at every site. */
export function tableAt(c: number, spec: FederationSpec): SiteTable {
  const rows = 6 + 2 * c;
  const draw = seededNumbers(`table ${c}`);
  const number = () => ({
    kind: "number" as const,
    missing: 0,
    values: Float64Array.from({ length: rows }, () => 10 * c + draw()),
  });
  const category = (categories: string[], code: (row: number) => number) => ({
    kind: "category" as const,
    missing: 0,
    categories,
    codes: Int32Array.from({ length: rows }, (_, i) => code(i)),
  });
  return siteTable(
    {
      ...{
        source: `table ${c}`,
        rows,
        names: ["a", "b", "g", "class"],
        place: (r: number) => `row ${r + 1}`,
      },
      columns: {
        a: number(),
        b: number(),
        g: category(["f", "m"], (i) => Number(i < 2 + c)),
        class: category(["no", "yes"], (i) => i % 2),
      },
    } as never,
    spec,
  );
}

export interface Asked {
  readonly exchange: number;
  readonly attempt?: number;
  readonly step?: number;
  readonly part?: number;
  readonly model: Sums;
  readonly agreed?: Agreed;
  readonly names?: readonly string[];
  readonly suspects?: readonly string[];
  /** The last thing that it asks for; shares unless given. */
  readonly until?: "ready" | "shares";
}

/** One sum that was opened: over whom, and what rode along. */
export interface OpenedSum {
  readonly sites: readonly string[];
  readonly numbers: readonly number[];
  readonly values: Float64Array;
}

type Said<K extends ToCoordinator["kind"]> = Extract<ToCoordinator, { kind: K }>;

/** Sites a, b, c … with these tables, and a coordinator that asks them one thing after another. */
export function crooked(spec: FederationSpec, tables: readonly (Pool | SiteTable)[]) {
  const who = sitesOf(tables.length);
  let roster: Roster = rosterOf(who);
  const bus = memoryBus();
  const blobs = memoryBlobs();
  const stop = new AbortController();
  const takers: ((roster: Roster) => void)[] = [];
  const runs: Promise<unknown>[] = [];
  const start = (site: string, identity: Identity, data: Pool | SiteTable) =>
    runs.push(
      takePart({
        ...{ run: "r", spec, site, identity, roster, data, store: storeOn([]), bus: bus.site(site), blobs },
        onRoster: (take) => void takers.push(take),
        signal: stop.signal,
      }).catch(() => {}),
    );
  const inbox: { readonly from: string; readonly message: ToCoordinator }[] = [];
  let wake = () => {};
  bus.coordinator.listen((from, text) => {
    inbox.push({ from, message: parseToCoordinator(text) });
    wake();
  });
  for (const [i, { name, identity }] of who.entries()) start(name, identity, tables[i]);
  const outcomes: Outcome[] = [];
  const last = new Map<string, number>();

  /** Until each has answered, or refused. */
  async function ask<K extends ToCoordinator["kind"]>(
    names: readonly string[],
    kind: K,
    id: { readonly exchange: number; readonly attempt: number },
    message: (site: string) => ToSite,
    refusals: string[],
  ): Promise<Map<string, Said<K>>> {
    inbox.length = 0;
    for (const name of names) bus.coordinator.send(name, encodeMessage(message(name)));
    const found = new Map<string, ToCoordinator>();
    for (;;) {
      for (const { from, message: said } of inbox.splice(0))
        if ((said.kind === kind || said.kind === "refuse") && "attempt" in said)
          if (said.exchange === id.exchange && said.attempt === id.attempt) found.set(from, said);
      if (names.every((name) => found.has(name))) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    for (const [name, said] of found)
      if (said.kind === "refuse") {
        refusals.push(`${name}: ${said.reason}`);
        found.delete(name);
      }
    return found as Map<string, Said<K>>;
  }

  /** An attempt at an exchange: what was refused, and the sums that were opened, by part. */
  async function sum(asked: Asked): Promise<{ refusals: string[]; opened: OpenedSum[] }> {
    const { exchange, attempt = 1, step = exchange, part = 0, suspects = [], until = "shares" } = asked;
    const names = asked.names ?? Object.keys(roster);
    const id = { run: "r", exchange, attempt };
    const model = await blobs.put(encodeModel(asked.model, asked.agreed));
    const past = outcomes.reduce(pastAfter, firstPast("r"));
    const shown: ShownMessage = { step, exchange: part, model, meanPrice: 0, answers: [], past };
    const statement = statementHash({ ...id, spec: specHash(spec), roster, shown, suspects });
    const refusals: string[] = [];
    const work = (name: string): ToSite => {
      const seen = last.get(name);
      const since = seen === undefined ? undefined : sinceFor(outcomes, seen, 0);
      const parts = suspects.length > 0 && { suspects: [...suspects] };
      return { kind: "work", ...id, shown, statement, ...(since && { since }), ...parts };
    };
    const ready = await ask(names, "ready", id, work, refusals);
    const members: SignedMember[] = [...ready.values()]
      .map(({ member }) => member)
      .sort((a, b) => (a.site < b.site ? -1 : 1));
    if (until === "ready" || members.length < spec.sites.least) return { refusals, opened: [] };
    const there = members.map(({ site }) => site);
    const context = contextOf(statement, members);
    const boxes = await ask(there, "boxes", id, () => ({ kind: "cohort", ...id, members }), refusals);
    const dealt = (name: string): ToSite => ({
      ...{ kind: "dealt", ...id },
      boxes: [...boxes].flatMap(([from, { boxes: sent }]) =>
        sent.flatMap(({ to, ...box }) => (to === name ? [{ from, ...box }] : [])),
      ),
    });
    const uploaded = await ask(there, "uploaded", id, dealt, refusals);
    const survivors = [...uploaded.keys()];
    for (const name of survivors) last.set(name, exchange);
    const agrees = await ask(
      survivors,
      "agree",
      id,
      () => ({ kind: "survivors", ...id, survivors }),
      refusals,
    );
    const signatures = [...agrees].map(([site, { signature }]) => ({ site, signature }));
    outcomes[exchange] = outcomeOf(exchange, { attempt, statement, groups: [survivors] });
    if (signatures.length < survivors.length) return { refusals, opened: [] };
    const reveals = await ask(
      survivors,
      "reveal",
      id,
      () => ({ kind: "agreed", ...id, signatures }),
      refusals,
    );
    const shares = new Map<string, Revealed>([...reveals]);
    const halves = halvesOf(context, there, suspects);
    const sums = halves.length > 0 ? halves : [[new Set(survivors)]];
    const opened: OpenedSum[] = [];
    for (const [k, sides] of sums.entries())
      for (const side of sides) {
        const inside = survivors.filter((name) => side.has(name));
        const given = await Promise.all(
          inside.map(async (name) => decodeSummand(await blobs.get(uploaded.get(name)!.upload))),
        );
        const total = emptySummand(given[0].words.length, given[0].numbers.length);
        for (const one of given) addSummand(total, one);
        const sumOf = partsOf(total, sums.length)[k];
        const cohort = { cohort: members, survivors: new Set(inside) };
        const within = halves.length > 0 ? { context: partContext(context, k), half: side } : { context };
        realCrypto.unmask(sumOf, { ...cohort, ...within }, shares);
        const bits = fractionBits(summandsOf(spec), spec.sums.bound);
        // The count of summands, and of those that were scaled, come first.
        const numbers = Array.from(sumOf.numbers.subarray(k === 0 ? 2 : 0), fromWhole);
        opened.push({ sites: inside, numbers, values: fromWords(sumOf.words, bits) });
      }
    return { refusals, opened };
  }

  return {
    sum,
    outcomes,
    get roster() {
      return roster;
    },
    /** Another identity takes a name, with a table of its own. */
    replace: (site: string, identity: Identity, data: Pool | SiteTable) => {
      roster = { ...roster, [site]: identity.key };
      for (const take of takers) take(roster);
      last.delete(site);
      start(site, identity, data);
    },
    close: async () => {
      stop.abort(new Error("it is over"));
      await Promise.allSettled(runs);
    },
  };
}
