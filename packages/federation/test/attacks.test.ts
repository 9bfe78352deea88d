// What a site does not let a coordinator, or someone in another's name, do to it.
import {
  contextOf,
  deal,
  digest,
  encodeMessage,
  halvesOf,
  type Identity,
  identityOf,
  memberOf,
  memberText,
  newDisk,
  newSecret,
  newSecrets,
  parseToCoordinator,
  parseToSite,
  partCount,
  type Secrets,
  type SignedMember,
  type SiteMachine,
  type Statement,
  shownHash,
  signed,
  siteMachine,
  siteName,
  statementHash,
  survivorsText,
  type ToCoordinator,
} from "@pliant/federation";
import { beforeEach, describe, expect, test } from "vitest";
import { isSigned } from "../src/primitives.js";
import { isWeak } from "../src/protocol/identity.js";
import { boxHash, complaintText } from "../src/protocol/transcript.js";
import { seededBytes } from "./seeded.js";

const names = ["a", "b", "c", "d"];
const identities = new Map<string, Identity>(
  names.map((name) => [name, identityOf(newSecret(seededBytes(`identity ${name}`)))]),
);
const roster = Object.fromEntries(names.map((name) => [name, identities.get(name)!.key]));
const shown = {
  step: 0,
  exchange: 0,
  model: "ab".repeat(32),
  meanPrice: 0,
  answers: [],
  past: "00".repeat(32),
};
const id = { run: "r", exchange: 0, attempt: 1 };
const spec = digest("spec");
const stated = (more: Partial<Statement> = {}): string =>
  statementHash({ ...id, spec, roster, shown, ...more });
const work = { kind: "work" as const, ...id, shown, statement: stated() };

/** Site a, and what the others would say. */
let site: SiteMachine<{ price: number }>;
let secrets: Map<string, Secrets>;
let members: SignedMember[];

const hear = (message: Parameters<typeof encodeMessage>[0] & { kind: string }): ToCoordinator[] =>
  site
    .handle({ kind: "message", message: parseToSite(encodeMessage(message)) })
    .flatMap((effect) => (effect.kind === "send" ? [effect.message] : []));
const refusal = (messages: readonly ToCoordinator[]): string =>
  messages.map((message) => (message.kind === "refuse" ? message.reason : `(${message.kind})`)).join();

const memberFor = (name: string, statement = stated()): SignedMember => {
  const member = memberOf(name, secrets.get(name)!);
  return { ...member, signature: identities.get(name)!.sign(memberText(member, statement)) };
};

beforeEach(() => {
  site = siteMachine(
    {
      run: "r",
      site: "a",
      session: "1",
      identity: identities.get("a")!,
      roster,
      spec,
      bound: 16,
      least: 3,
      plain: false,
      random: seededBytes("a"),
    },
    4,
    newDisk({ price: 0 }),
  );
  const random = seededBytes("others");
  secrets = new Map(names.map((name) => [name, newSecrets(random)]));
  hear(work);
  const prepared = { values: Float64Array.of(1, -2), numbers: [0.5], next: { price: 1 } };
  const [ready] = site.handle({ kind: "trained", shown: shownHash(shown), prepared });
  if (ready.kind !== "send" || ready.message.kind !== "ready") throw new Error("not ready");
  members = [ready.message.member, ...["b", "c", "d"].map((name) => memberFor(name))];
});

/** As far as having uploaded. */
function uploaded() {
  hear({ kind: "cohort", ...id, members });
  const context = contextOf(stated(), members);
  const boxes = ["b", "c", "d"].map((from) => {
    const dealt = deal(from, secrets.get(from)!, members, context, seededBytes(from));
    const { to: _, ...box } = dealt.boxes.find(({ to }) => to === "a")!;
    return { from, ...box };
  });
  hear({ kind: "dealt", ...id, boxes });
  site.handle({ kind: "stored", exchange: 0, attempt: 1, upload: "cd".repeat(32) });
  return context;
}

describe("a cohort is refused", () => {
  test("below the least number of sites", () => {
    expect(refusal(hear({ kind: "cohort", ...id, members: members.slice(0, 2) }))).toBe(
      "The cohort has 2 sites; this site sums with 3 or more.",
    );
  });
  test("with sites that nobody knows", () => {
    const stranger = { ...members[3], site: "sybil" };
    expect(refusal(hear({ kind: "cohort", ...id, members: [...members.slice(0, 3), stranger] }))).toBe(
      "The cohort has sybil, which is not on the roster.",
    );
  });
  test("with one site twice", () => {
    expect(refusal(hear({ kind: "cohort", ...id, members: [...members.slice(0, 3), members[2]] }))).toContain(
      "twice",
    );
  });
  test("in an order of the coordinator's choice", () => {
    expect(refusal(hear({ kind: "cohort", ...id, members: members.toReversed() }))).toBe(
      "The cohort is not in order.",
    );
  });
  test("with keys that their owner did not sign", () => {
    const swapped = { ...members[3], mask: members[2].mask };
    expect(refusal(hear({ kind: "cohort", ...id, members: [...members.slice(0, 3), swapped] }))).toContain(
      "d did not sign these keys",
    );
  });
  test.each([
    ["model", { shown: { ...shown, model: "ef".repeat(32) } }],
    ["mean price", { shown: { ...shown, meanPrice: 1 } }],
    ["spec, and with it another bound", { spec: digest("another bound") }],
    ["roster", { roster: { ...roster, d: roster.c } }],
    ["attempt", { attempt: 2 }],
    ["exchange", { exchange: 1 }],
    ["run", { run: "s" }],
    ["round", { shown: { ...shown, step: 1 } }],
    ["place in the round", { shown: { ...shown, exchange: 1 } }],
    ["mean loss", { shown: { ...shown, answers: [1] } }],
    ["number of sites that have not left", { shown: { ...shown, present: 3 } }],
    ["list of suspects", { suspects: ["a", "b"] }],
  ])("where a site was told another %s", (_, more) => {
    const other = memberFor("d", stated(more));
    expect(refusal(hear({ kind: "cohort", ...id, members: [...members.slice(0, 3), other] }))).toContain(
      "d did not sign these keys for this statement: it was told something else",
    );
  });
  test("with a floor that its owner did not sign", () => {
    const lowered = { ...members[3], least: 2 };
    expect(refusal(hear({ kind: "cohort", ...id, members: [...members.slice(0, 3), lowered] }))).toContain(
      "d did not sign these keys",
    );
  });
  test("below the floor of another site", () => {
    const member = { ...memberOf("d", secrets.get("d")!), least: 5 };
    const signature = identities.get("d")!.sign(memberText(member, stated()));
    expect(
      refusal(hear({ kind: "cohort", ...id, members: [...members.slice(0, 3), { ...member, signature }] })),
    ).toBe("The cohort has 4 sites; d sums with 5 or more.");
  });
  test("replayed from an earlier attempt", () => {
    hear({ ...work, attempt: 2, statement: stated({ attempt: 2 }) });
    expect(refusal(hear({ kind: "cohort", ...id, attempt: 2, members }))).toContain(
      "does not have this site's keys",
    );
    expect(hear({ kind: "cohort", ...id, members })).toEqual([]);
  });
  test("with a key of low order, even a signed one", () => {
    const member = { ...memberOf("d", secrets.get("d")!), channel: "00".repeat(32) };
    const signature = identities.get("d")!.sign(memberText(member, stated()));
    expect(
      refusal(hear({ kind: "cohort", ...id, members: [...members.slice(0, 3), { ...member, signature }] })),
    ).toContain("of low order");
  });
});

describe("a sum in halves", () => {
  /** Eight sites; a sums with four or more. */
  const eight = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const ids = new Map(eight.map((name) => [name, identityOf(newSecret(seededBytes(`identity ${name}`)))]));
  const all = Object.fromEntries(eight.map((name) => [name, ids.get(name)!.key]));
  function told(least: number, suspects: string[], there = eight): string {
    const statement = statementHash({ ...id, spec, roster: all, shown, suspects });
    site = siteMachine(
      {
        ...{ run: "r", site: "a", session: "1", identity: ids.get("a")!, roster: all, spec },
        ...{ bound: 16, least, plain: false, random: seededBytes("a") },
      },
      8,
      newDisk({ price: 0 }),
    );
    hear({ ...work, statement, suspects });
    const prepared = { values: Float64Array.of(1, -2), numbers: [0.5], next: { price: 1 } };
    const [ready] = site.handle({ kind: "trained", shown: shownHash(shown), prepared });
    if (ready.kind !== "send" || ready.message.kind !== "ready") throw new Error("not ready");
    const random = seededBytes("others");
    const others = there.slice(1).map((name) => {
      const member = memberOf(name, newSecrets(random));
      return { ...member, signature: ids.get(name)!.sign(memberText(member, statement)) };
    });
    return refusal(hear({ kind: "cohort", ...id, members: [ready.message.member, ...others] }));
  }

  test("has as many sites in each half as a site sums with", () => {
    expect(told(4, eight)).toBe("(boxes)");
    expect(told(5, eight)).toBe("Half of a sum would have 4 sites; this site sums with 5 or more.");
    expect(told(4, eight, eight.slice(0, 7))).toBe(
      "Half of a sum would have 3 sites; this site sums with 4 or more.",
    );
  });

  test("tells all suspects apart, in halves that differ by one site at most", () => {
    for (let n = 6; n <= 50; n++) {
      const names = Array.from({ length: n }, (_, i) => `s${i}`);
      const suspects = names.slice(0, Math.max(2, n - 3));
      const halves = halvesOf(`context ${n}`, names, suspects);
      expect(halves).toHaveLength(partCount(suspects));
      for (const [one, other] of halves) {
        expect(Math.abs(one.size - other.size)).toBeLessThanOrEqual(1);
        expect(new Set([...one, ...other]).size).toBe(n);
      }
      const sides = suspects.map((site) => halves.map(([one]) => Number(one.has(site))).join(""));
      expect(new Set(sides).size).toBe(suspects.length);
    }
  });
});

describe("a box is opened to a holder that complained, and to nobody else", () => {
  const challenged = (box: string, signer = "b", by = "b", context = contextOf(stated(), members)) =>
    hear({
      ...{ kind: "challenged" as const, ...id, by, box },
      signature: identities.get(signer)!.sign(complaintText(context, by, "a", box)),
    });
  test("for the box that was dealt, by a complaint of its own in this attempt", () => {
    const [dealt] = hear({ kind: "cohort", ...id, members });
    if (dealt.kind !== "boxes") throw new Error(refusal([dealt]));
    const [b, c] = ["b", "c"].map((name) => boxHash(dealt.boxes.find(({ to }) => to === name)!));
    expect(challenged(b)).toMatchObject([{ kind: "opening", to: "b" }]);
    // Of another holder, by the coordinator alone, of a box that was changed on its way, in another attempt.
    for (const others of [
      challenged(c),
      challenged(b, "c"),
      challenged(digest("a changed box")),
      challenged(b, "b", "b", contextOf(stated({ attempt: 2 }), members)),
      challenged(b, "b", "stranger"),
    ])
      expect(others).toEqual([]);
  });
});

describe("survivors", () => {
  const agreeing = (context: string, survivors: readonly string[], signers: readonly string[]) => ({
    kind: "agreed" as const,
    ...id,
    signatures: signers.map((name) => ({
      site: name,
      signature: identities.get(name)!.sign(survivorsText(context, survivors)),
    })),
  });

  test("are named once: a second set in one attempt is refused", () => {
    uploaded();
    expect(hear({ kind: "survivors", ...id, survivors: ["a", "b", "c"] })[0].kind).toBe("agree");
    expect(refusal(hear({ kind: "survivors", ...id, survivors: ["a", "b", "d"] }))).toBe(
      "The coordinator named a second set of survivors in one attempt; nothing is revealed.",
    );
    expect(site.disk.agreed).not.toBeNull();
  });
  test("are revealed once more than two thirds agreed, with one secret each", () => {
    const context = uploaded();
    const survivors = ["a", "b", "c"];
    hear({ kind: "survivors", ...id, survivors });
    const [reveal] = hear(agreeing(context, survivors, survivors));
    if (reveal.kind !== "reveal") throw new Error(refusal([reveal]));
    expect(Object.keys(reveal.selves).sort()).toEqual(survivors);
    expect(Object.keys(reveal.masks)).toEqual(["d"]);
  });
  test("are not revealed where fewer agreed, or to something else", () => {
    const context = uploaded();
    hear({ kind: "survivors", ...id, survivors: ["a", "b", "c"] });
    const elsewhere = agreeing(context, ["a", "b", "c", "d"], ["b", "c", "d"]);
    expect(refusal(hear(elsewhere))).toContain(
      "Fewer than 3 sites agreed to the same survivors; nothing is revealed.",
    );
  });
  test.each([
    [["a", "b"], "There are 2 survivors; this site sums with 3 or more."],
    [["b", "c", "d"], "The survivors do not include this site."],
    [["a", "b", "c", "x"], "The survivors name a site from outside."],
  ])("too few, without this site, or from outside are refused: %s", (survivors, why) => {
    uploaded();
    expect(refusal(hear({ kind: "survivors", ...id, survivors }))).toBe(why);
  });
});

test("numbers that are not finite are answered like any others", () => {
  const next = { ...shown, exchange: 1 };
  hear({ ...work, exchange: 1, shown: next, statement: stated({ exchange: 1, shown: next }) });
  const hash = shownHash(next);
  const prepared = { values: Float64Array.of(Number.NaN), numbers: [], next: { price: 1 } };
  const effects = site.handle({ kind: "trained", shown: hash, prepared });
  expect(refusal(effects.flatMap((e) => (e.kind === "send" ? [e.message] : [])))).toBe("(ready)");
});

test("nobody signs for a key of low order: anybody could", () => {
  // The neutral element: R = S·B is a signature of every text.
  const low = `01${"00".repeat(31)}`;
  const forged = `5866666666666666666666666666666666666666666666666666666666666666${"01".padEnd(64, "0")}`;
  expect(isSigned(Buffer.from(low, "hex"), "any text", Buffer.from(forged, "hex"))).toBe(true);
  expect(signed(low, "any text", forged)).toBe(false);
  for (const key of [
    low,
    "00".repeat(32),
    `ec${"ff".repeat(30)}7f`,
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  ])
    expect(isWeak(key)).toBe(true);
  expect(isWeak(roster.a)).toBe(false);
});

test.each(["constructor", "toString", "hasOwnProperty", "__proto__", "valueOf"])(
  "no site is called %s",
  (name) => {
    expect(siteName.safeParse(name).success).toBe(false);
  },
);

describe("messages", () => {
  test("of another version are refused with a sentence", () => {
    const text = encodeMessage({ kind: "hello", run: "r", site: "a", session: "1" }).replace(
      '"version":7',
      '"version":1',
    );
    expect(() => parseToCoordinator(text)).toThrow(
      "A site speaks version 1 of the protocol, and this is version 7; use the same pliant on both.",
    );
  });
  test("that are none are refused in a sentence", () => {
    expect(() => parseToCoordinator("{")).toThrow("A site sent something that is not JSON.");
    expect(() => parseToSite(encodeMessage({ ...work, statement: "16" }))).toThrow(
      /The coordinator sent a message that is none: statement/,
    );
  });
});
