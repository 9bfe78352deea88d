// Who takes part: told once, and then only what changes, whatever the number of sites.
import {
  changedRoster,
  coordinatorSessions,
  identityOf,
  memoryLedger,
  newSecret,
  type Roster,
  rosterHash,
} from "@pliant/federation";
import { expect, test } from "vitest";
import { siteSession } from "../src/sessions/index.js";
import { seededBytes } from "./seeded.js";

const identityFor = (site: string) => identityOf(newSecret(seededBytes(site)));

/** A coordinator whose run begins with all of these, and the first of them connected to it. */
async function connected(names: readonly string[], change: (text: string) => string = (text) => text) {
  const ledger = memoryLedger();
  for (const name of names) {
    await ledger.invite(name, name, Number.MAX_VALUE);
    await ledger.join(name, name, identityFor(name).key, 0);
  }
  const sessions = coordinatorSessions("r", names.length, ledger);
  await sessions.joined();
  const [me] = names;
  const ended: string[] = [];
  const heard: string[] = [];
  const toCoordinator: Promise<void>[] = [];
  const rosters: Roster[] = [];
  let coordinator: ReturnType<typeof sessions.open> | undefined;
  const site = siteSession("r", me, identityFor(me), {
    send: (text) => void toCoordinator.push(Promise.resolve().then(() => coordinator!.hear(text))),
    close: () => {},
  });
  site.bus.listen({ message: () => {}, connected: () => {}, ended: (why) => ended.push(why) });
  site.onRoster((roster) => rosters.push(roster));
  const connect = () => {
    coordinator = sessions.open({
      send: (text) => {
        heard.push(text);
        site.hear(change(text));
      },
      close: () => {},
    });
  };
  const quiet = async () => {
    for (let done = 0; done < toCoordinator.length; done++) await toCoordinator[done];
  };
  connect();
  await quiet();
  return { sessions, site, ended, heard, rosters, connect, quiet, roster: await ledger.roster() };
}

const many = Array.from({ length: 400 }, (_, i) => `site-${i}`);
const newcomer = { late: identityFor("late").key };

test("a change of the roster is sent by itself, and is as long among 400 sites as among 4", async () => {
  const lengths = [];
  for (const count of [4, 400]) {
    const { sessions, heard, rosters, quiet, roster } = await connected(many.slice(0, count));
    expect(rosters).toEqual([roster]);
    const next = changedRoster(roster, { joined: newcomer, gone: ["site-2"] });
    sessions.setRoster(next);
    await quiet();
    expect(rosterHash(rosters.at(-1)!)).toBe(rosterHash(next));
    lengths.push(heard.at(-1)!.length);
  }
  expect(lengths[1]).toBe(lengths[0]);
});

test("a returning site receives the roster only if it changed", async () => {
  const { sessions, site, heard, rosters, connect, quiet, roster } = await connected(many.slice(0, 5));
  const told = () => heard.filter((text) => text.includes('"frame":"roster"')).length;
  expect(told()).toBe(1);
  site.lost();
  connect();
  await quiet();
  expect(told()).toBe(1);
  expect(rosters).toHaveLength(1);
  // One that changes while it is away is told whole.
  site.lost();
  connect();
  sessions.setRoster(changedRoster(roster, { joined: newcomer, gone: [] }));
  await quiet();
  expect(told()).toBe(2);
  expect(Object.keys(rosters.at(-1)!)).toContain("late");
});

test("an entry that is forged on the way is refused", async () => {
  const forged = (text: string) => text.replaceAll(newcomer.late, identityFor("someone else").key);
  const { sessions, ended, rosters, quiet, roster } = await connected(many.slice(0, 5), forged);
  sessions.setRoster(changedRoster(roster, { joined: newcomer, gone: [] }));
  await quiet();
  expect(rosters).toEqual([roster]);
  expect(ended).toEqual([
    "The coordinator told a change of the roster that does not give the roster it names.",
  ]);
});

test("a site that missed a change asks for the whole roster", async () => {
  let drops = false;
  const { sessions, ended, rosters, quiet, roster } = await connected(many.slice(0, 5), (text) =>
    drops && text.includes('"frame":"change"') ? "{}" : text,
  );
  drops = true;
  const first = changedRoster(roster, { joined: newcomer, gone: [] });
  sessions.setRoster(first);
  drops = false;
  const second = changedRoster(first, { joined: {}, gone: ["site-1"] });
  sessions.setRoster(second);
  await quiet();
  expect(ended).toEqual([]);
  expect(rosterHash(rosters.at(-1)!)).toBe(rosterHash(second));
});
