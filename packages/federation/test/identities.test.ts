// One identity, one place; and only who has a place now is listened to.
import { coordinatorSessions, identityOf, memoryLedger, newSecret, ownRelease } from "@pliant/federation";
import { expect, test } from "vitest";
import { siteName } from "../src/protocol/messages.js";
import { rosterKeeper } from "../src/service/roster-keeper.js";
import { proofText } from "../src/sessions/frames.js";
import { rosterOf, sitesOf } from "./in-process.js";
import { victims } from "./malicious.js";
import { seededBytes } from "./seeded.js";

const identityFor = (who: string) => identityOf(newSecret(seededBytes(who)));

async function ledgerWith(places: readonly (readonly [site: string, who: string])[]) {
  const ledger = memoryLedger();
  for (const [site, who] of places) {
    await ledger.invite(site, site, Number.MAX_VALUE);
    await ledger.join(site, site, identityFor(who).key, 0);
  }
  return ledger;
}

test("an identity joins once: with a second place it would sum with itself", async () => {
  const ledger = await ledgerWith([["x", "clone"]]);
  await ledger.invite("y", "y", Number.MAX_VALUE);
  for (const look of [true, false])
    await expect(ledger.join("y", "y", identityFor("clone").key, 0, look)).rejects.toThrow(
      "This identity has joined as x; each site has one of its own.",
    );
  await ledger.remove("x", "it moves");
  await ledger.join("y", "y", identityFor("clone").key, 0);
  expect(Object.keys(await ledger.roster())).toEqual(["y"]);
});

test("a site takes no roster with one identity twice", () => {
  const roster = rosterOf(sitesOf(4));
  const twice = { ...roster, e: roster.b };
  const why = "The roster has one identity twice, as b and as e";
  const keeper = rosterKeeper("/nowhere/roster.json", {
    ...{ run: "r", site: "a", key: roster.a, policy: {} as never, say: () => {} },
  });
  expect(() => keeper.take(twice)).toThrow(why);
  const victim = victims(["a", "b", "c", "d"]).get("a")!;
  const doubled = { ...victim.roster, e: victim.roster.b };
  expect(() => victim.machine.handle({ kind: "roster", roster: doubled })).toThrow(why);
});

/** A connection that proves itself as `who`, and does not close when it is told to. */
async function proves(sessions: ReturnType<typeof coordinatorSessions>, site: string, who: string) {
  const told: { frame: string; challenge?: string; why?: string }[] = [];
  const session = sessions.open({ send: (text) => void told.push(JSON.parse(text)), close: () => {} });
  const signature = identityFor(who).sign(proofText("r", site, told[0].challenge!));
  await session.hear(JSON.stringify({ frame: "prove", site, signature, release: ownRelease }));
  return { session, told };
}

test("an identity whose place another one has by now is not listened to", async () => {
  const ledger = await ledgerWith([["north", "mallory"]]);
  const sessions = coordinatorSessions("r", 2, ledger);
  const heard: string[] = [];
  sessions.bus.listen((from, text) => heard.push(`${from}: ${text}`));
  const old = await proves(sessions, "north", "mallory");
  await old.session.hear("while it has the place");
  await ledger.revoke("north", 3);
  await ledger.invite("north", "new", Number.MAX_VALUE);
  await ledger.join("north", "new", identityFor("north").key, 0);
  await sessions.joined();
  await old.session.hear("after another one has joined");
  const successor = await proves(sessions, "north", "north");
  await old.session.hear("after that one is there");
  await successor.session.hear("mine");
  sessions.setRoster({ north: identityFor("third").key });
  await successor.session.hear("after its place went to a third");
  sessions.setRoster({});
  expect(heard).toEqual(["north: while it has the place", "north: mine"]);
  expect(old.told.at(-1)!.why).toContain("north has another identity here");
  expect(sessions.connected).toEqual([]);
});

test.each(["north\u3164", "north\uffa0", "north\u115f", "ｎorth", "𝐧orth", "no\u00adrth"])(
  "a name that hides letters, or has them in another form, is none: %j",
  (name) => {
    expect(siteName.safeParse("north").success).toBe(true);
    expect(siteName.safeParse("Zürich").success).toBe(true);
    expect(siteName.safeParse(name).success).toBe(false);
  },
);
