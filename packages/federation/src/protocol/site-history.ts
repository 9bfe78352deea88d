// What a site's disk says of the attempts before: what it has become, and which sums it helps with no more.
import { InputError } from "@pliant/core";
import type { Since } from "./messages.js";
import { cameTo } from "./past.js";
import { type Attempt, begunBefore, final, type Stands } from "./site-attempt.js";
import type { Position, SiteDisk } from "./site-events.js";
import type { Roster } from "./transcript.js";

/** What it is by now; nothing where it is not told what came of its last attempt. */
export function standsBy<S>(
  { tentative: last, state, counted, agreed, revealed }: SiteDisk<S>,
  site: string,
  now: { readonly exchange: number; readonly past: string },
  since: Since | undefined,
): (Stands<S> & { readonly given?: boolean }) | undefined {
  if (!last) return { state, counted };
  if (now.exchange === last.exchange && now.past === last.past) return { state, counted };
  const isLast = (at: Position | null) => at?.exchange === last.exchange && at.attempt === last.attempt;
  const known = {
    revealed: isLast(revealed),
    ...(agreed && isLast(agreed) && { agreed: Object.keys(agreed.survivors) }),
  };
  const came = cameTo(last, known, now, since, site);
  if (!came) return undefined;
  const { exchange, attempt } = last;
  const stands = came.counted ? { state: last.next, counted: { exchange, attempt } } : { state, counted };
  return now.exchange === exchange + 1 ? { ...stands, given: came.void } : stands;
}

/** Whether a sum comes after the last that it helped to open. */
export function isNew<S>({ revealed: last }: SiteDisk<S>, { exchange, step, part }: Position): boolean {
  if (!last) return true;
  return exchange > last.exchange && (step > last.step || (step === last.step && part > last.part));
}

/** A site that was started again has forgotten its attempts, but for what it agreed to and what it opened. */
export function checkNew<S>(disk: SiteDisk<S>, at: Position): void {
  const { agreed, revealed, tentative: last } = disk;
  if (!isNew(disk, at)) throw new InputError(final(revealed!));
  // A request that comes late would take the place of what may be counted.
  if (last && at.exchange === last.exchange && at.attempt < last.attempt)
    throw new InputError(begunBefore(last));
  if (!agreed || at.exchange > agreed.exchange) return;
  if (at.exchange < agreed.exchange || at.attempt <= agreed.attempt)
    throw new InputError(begunBefore(agreed));
}

/**
 * A second sum of the same is over the same identities, and of the same model: else the difference would reveal one site's numbers. A
 * site that was removed does not come back, so then there is no second sum. Why the site does not help; nothing where it does.
 */
export function secondSum<S>(
  once: string,
  before: { readonly sites: Roster; readonly model: string } | undefined,
  at: Attempt<S>,
  survivors: ReadonlySet<string>,
): { readonly reason: string; readonly final?: true } | undefined {
  if (!before) return undefined;
  const keysOf = (sites: Roster) => new Set(Object.values(sites));
  const now = Object.fromEntries([...survivors].map((name) => [name, at.roster[name]]));
  const [then, here, there] = [keysOf(before.sites), keysOf(now), keysOf(at.roster)];
  const others = [...Object.entries(before.sites), ...Object.entries(now)].filter(
    ([, key]) => then.has(key) !== here.has(key),
  );
  if (others.length === 0 && before.model === at.model) return undefined;
  const opened = `This site has helped to open the ${once}`;
  if (others.length === 0)
    return { reason: `${opened}, of another model; it helps no second one.`, final: true };
  const gone = others.some(([, key]) => !there.has(key));
  const names = [...new Set(others.map(([name]) => name))].join(", ");
  const remedy = gone ? "start another run" : "remove a site that does not come back, and start another run";
  return {
    reason: `${opened}. With or without ${names} it would tell the difference; ${remedy}.`,
    ...(gone && { final: true }),
  };
}
