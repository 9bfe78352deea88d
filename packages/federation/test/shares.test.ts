// A member that deals, opens or reveals wrong shares is known by name, and nobody else is blamed for it.
import {
  type Crypto,
  contextOf,
  type Dealt,
  digest,
  identityOf,
  newSecret,
  realCrypto,
  type ToCoordinator,
} from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { boxHash, complaintText, memberText } from "../src/protocol/transcript.js";
import { seededBytes } from "./seeded.js";
import { live, type WorldOptions } from "./world.js";
import { broken } from "./world-checks.js";

const identity = (site: string) => identityOf(newSecret(seededBytes(site)));
type Instead = NonNullable<WorldOptions["instead"]>;

/** What s2 dealt last. */
let dealt: Dealt | undefined;
/** Of s2: by which it commits to its seed, where that is another. */
let otherSelf: string | undefined;
const crypto: Crypto = {
  ...realCrypto,
  memberOf: (site, ...more) => {
    const member = realCrypto.memberOf(site, ...more);
    return site === "s2" && otherSelf ? { ...member, self: otherSelf } : member;
  },
  deal: (me, ...more) => {
    const done = realCrypto.deal(me, ...more);
    if (me === "s2") dealt = done;
    return done;
  },
};

/** Five sites with the real crypto and no other faults; s2 says something else. */
function withCheat(says: Instead["says"], hears?: Instead["hears"]) {
  const options: WorldOptions = {
    ...{ seed: 7, sites: 5, least: 3, exchanges: 4, crypto, identity },
    faults: { until: 0, drop: 0, twice: 0, crash: 0 },
    instead: { site: "s2", says, hears },
  };
  const world = live(options);
  expect(broken(world, options)).toEqual([]);
  return { ...world, given: world.rows.filter((row) => row.void).length };
}

type Message<K extends ToCoordinator["kind"]> = Extract<ToCoordinator, { kind: K }>;
const only =
  <K extends ToCoordinator["kind"]>(kind: K, change: (message: Message<K>) => ToCoordinator | undefined) =>
  (message: ToCoordinator): ToCoordinator | undefined =>
    message.kind === kind ? change(message as Message<K>) : message;

const flipped = (text: string): string => (text[0] === "0" ? "1" : "0") + text.slice(1);
const spoilFor = (holder: string, what: "box" | "mask" | "self") =>
  only("boxes", (message) => ({
    ...message,
    boxes: message.boxes.map((one) => (one.to === holder ? { ...one, [what]: flipped(one[what]) } : one)),
  }));

/** Says what it dealt when it is asked. */
const opens: Instead["hears"] = (message, say) => {
  if (message.kind !== "challenged") return;
  const { run, exchange, attempt, by } = message;
  say({ kind: "opening", run, exchange, attempt, to: by, ...dealt!.shares.get(by)! });
};

describe("a box that does not open", () => {
  test("is opened by its dealer, and the sum goes on over all", () => {
    const { said, removed, rows, given } = withCheat(spoilFor("s0", "box"), opens);
    expect(said).toContain("s0 complains of the shares that s2 dealt to it.");
    expect(removed.size).toBe(0);
    expect(given).toBe(0);
    for (const { survivors } of rows) expect(survivors).toHaveLength(5);
  });

  test.each(["mask", "self"] as const)("with another mark of the %s share shows who dealt it", (what) => {
    const { removed, given } = withCheat(spoilFor("s0", what), opens);
    expect([...removed]).toEqual([["s2", "the shares it dealt to s0 are not those it committed to"]]);
    // Before anything was revealed, so no round is lost.
    expect(given).toBe(0);
  });

  test("whose dealer does not open it excludes the dealer", () => {
    const { removed } = withCheat(spoilFor("s0", "box"));
    expect([...removed]).toEqual([
      ["s2", "it did not say which shares it dealt to s0, which complained of them"],
    ]);
  });

  test("is not dealt at all", () => {
    const { removed } = withCheat(
      only("boxes", (message) => ({ ...message, boxes: message.boxes.slice(1) })),
    );
    expect([...removed]).toEqual([["s2", "it did not deal shares to all other sites of its sum"]]);
  });
});

test("shares that do not belong together name their dealer, not the sites that revealed them", () => {
  otherSelf = digest("another seed");
  const { removed, given } = withCheat((message) => message);
  otherSelf = undefined;
  expect([...removed]).toEqual([["s2", "The shares that s2 dealt do not give its secret."]]);
  expect(given).toBe(1);
});

test("a site that reveals other shares than it was dealt is known, and the sum is opened without them", () => {
  const { removed, rows, given } = withCheat(
    only("reveal", (message) => ({
      ...message,
      selves: Object.fromEntries(Object.entries(message.selves).map(([of, share]) => [of, flipped(share)])),
    })),
  );
  expect([...removed]).toEqual([["s2", "it revealed other shares than it was dealt"]]);
  expect(given).toBe(0);
  expect(rows[0].survivors).toHaveLength(5);
});

test("a false complaint harms nobody", () => {
  let statement = "";
  let context = "";
  const { said, removed, rows, given } = withCheat(
    (message) => {
      if (message.kind === "ready") statement = message.statement;
      return message;
    },
    (message, say) => {
      if (message.kind === "cohort") context = contextOf(statement, message.members);
      if (message.kind !== "dealt") return;
      for (const { from, opened: _, ...box } of message.boxes) {
        const { exchange, attempt, run } = message;
        const signature = identity("s2").sign(complaintText(context, "s2", from, boxHash(box)));
        say({ kind: "complain", run, exchange, attempt, of: from, box: boxHash(box), signature });
      }
    },
  );
  expect(said).toContain("s2 complains of the shares that s0 dealt to it.");
  expect(removed.size).toBe(0);
  expect(given).toBe(0);
  for (const { survivors } of rows) expect(survivors).toHaveLength(5);
});

test("a member that signs a key of low order is excluded before anyone has a mask with it", () => {
  const { removed, rows, given } = withCheat(
    only("ready", ({ member, ...message }) => {
      const low = { ...member, mask: "00".repeat(32) };
      return {
        ...message,
        member: { ...low, signature: identity("s2").sign(memberText(low, message.statement)) },
      };
    }),
  );
  expect([...removed]).toEqual([["s2", "it signed a key with which nobody has a secret"]]);
  expect(given).toBe(0);
  expect(rows).toHaveLength(4);
});

test("a member that gets ready and never deals rests, for longer every time, and the others go on", () => {
  const { removed, rows, attempts } = withCheat(only("boxes", () => undefined));
  expect(removed.size).toBe(0);
  expect(rows).toHaveLength(4);
  // If it did not rest, no sum would ever be taken.
  expect(attempts).toBeLessThan(4 + 5);
});
