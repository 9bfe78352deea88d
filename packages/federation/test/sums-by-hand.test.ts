// The parts of a secure sum, each against what is known of it by hand, on cohorts small enough to look at.
import {
  addMask,
  addSummand,
  type Cohort,
  combine,
  deal,
  digest,
  emptySummand,
  enough,
  type Held,
  holdersOf,
  masked,
  memberOf,
  neighboursOf,
  newSecrets,
  openBox,
  prime,
  publicKey,
  quorumOf,
  type Revealed,
  revealed,
  split,
  unmask,
} from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { keystream } from "../src/primitives.js";
import { seededBytes } from "./seeded.js";

const named = (n: number): Cohort =>
  Array.from({ length: n }, (_, i) => ({
    site: `site ${i}`,
    mask: `mask ${i}`,
    channel: `channel ${i}`,
    self: `self ${i}`,
    least: 3,
  }));

describe("a cohort", () => {
  test("needs more than two thirds of those that hold shares", () => {
    expect([3, 4, 5, 6, 7, 37, 50].map((n) => quorumOf(3, n))).toEqual([3, 3, 4, 5, 5, 25, 34]);
  });

  test("with a floor needs as many, and so many that two sets of them meet beyond those that may collude", () => {
    for (let n = 3; n <= 60; n++)
      for (let least = 3; least <= n; least++) {
        const quorum = quorumOf(least, n);
        expect(quorum).toBeGreaterThanOrEqual(least);
        expect(quorum).toBeLessThanOrEqual(n);
        expect(2 * quorum - n).toBeGreaterThan(least - 3);
      }
    // Of some of the sites, as large a part.
    expect([3, 51, 101, 150].map((least) => quorumOf(least, 150, 45))).toEqual([31, 31, 38, 45]);
  });

  test("of at most 50 sites has masks between all of them", () => {
    for (const n of [3, 50]) {
      for (const [site, around] of neighboursOf(named(n))) {
        expect(around).toHaveLength(n - 1);
        expect(new Set([site, ...around.map((member) => member.site)]).size).toBe(n);
      }
    }
  });

  test.each([
    [51, 36],
    [64, 36],
    [65, 38],
  ])("of %i sites has masks with %i others each, as many on either side of a ring", (n, degree) => {
    const neighbours = neighboursOf(named(n));
    for (const [site, around] of neighbours) {
      const sites = around.map((member) => member.site);
      expect(new Set(sites).size).toBe(degree);
      expect(sites).not.toContain(site);
      for (const other of sites) expect(neighbours.get(other)!.map((member) => member.site)).toContain(site);
    }
    const [ring] = [[...neighbours.keys()]];
    const near = new Set(neighbours.get(ring[0])!.map((member) => member.site));
    const half = degree / 2;
    expect(near).toEqual(new Set([...ring.slice(1, half + 1), ...ring.slice(-half)]));
  });

  test("stands in an order that all its keys decide, and is asked once", () => {
    const cohort = named(60);
    const order = (of: Cohort): string => [...neighboursOf(of).keys()].join();
    const first = order(cohort);
    expect(order(named(60))).toBe(first);
    for (const [i, changed] of [{ mask: "another" }, { channel: "another" }, { site: "another" }].entries())
      expect(order(cohort.with(i, { ...cohort[i], ...changed }))).not.toBe(first);
    expect(neighboursOf(cohort)).toBe(neighboursOf(cohort));
  });

  test("holds a site's shares with its neighbours, itself included, by name", () => {
    expect(holdersOf("b", named(2))).toEqual(["b", "site 0", "site 1"]);
    expect(holdersOf("z", named(2))).toEqual(["site 0", "site 1", "z"]);
  });
});

describe("shares", () => {
  const secret = Buffer.alloc(32);
  secret[31] = 5;
  /** Coefficients 7, 7, …, each of 48 bytes. */
  const sevens = (bytes: number): Buffer => {
    const drawn = Buffer.alloc(bytes);
    drawn[bytes - 1] = 7;
    return drawn;
  };

  test("are values of a polynomial with the secret at 0", () => {
    expect(split(secret, 3, [1, 2, 4], sevens)).toEqual([
      { x: 1, y: 5n + 7n + 7n },
      { x: 2, y: 5n + 14n + 28n },
      { x: 4, y: 5n + 28n + 112n },
    ]);
    expect(split(secret, 1, [3], sevens)).toEqual([{ x: 3, y: 5n }]);
  });

  test("are reduced modulo the prime, and so are the coefficients", () => {
    const largest = (bytes: number): Buffer => Buffer.alloc(bytes, 255);
    const coefficient = (2n ** 384n - 1n) % prime;
    expect(split(secret, 2, [1, 2], largest)).toEqual([
      { x: 1, y: (5n + coefficient) % prime },
      { x: 2, y: (5n + 2n * coefficient) % prime },
    ]);
  });

  test.each([
    [1, [1, 2, 3]],
    [2, [2, 5]],
    [3, [7, 1, 4]],
  ])("a threshold of %i gives the secret back from any as many", (threshold, places) => {
    const random = seededBytes(threshold);
    const own = random(32);
    const shares = split(own, threshold, places, random);
    expect(combine(shares.toReversed(), threshold)).toEqual(own);
  });

  test("beyond the threshold none is looked at", () => {
    const random = seededBytes("spare");
    const own = random(32);
    expect(combine([...split(own, 2, [1, 2], random), { x: 3, y: 1n }], 2)).toEqual(own);
  });

  test("a secret that begins with zeros comes back whole", () => {
    const random = seededBytes("zeros");
    expect(combine(split(secret, 2, [1, 2], random), 2)).toEqual(secret);
  });

  test.each([0, 4, Number.NaN])("a threshold of %d of 3 is refused", (threshold) => {
    expect(() => split(secret, threshold, [1, 2, 3], sevens)).toThrow(
      `3 shares cannot have a threshold of ${threshold}.`,
    );
  });

  test("two of one place are refused, and so are those that do not belong together", () => {
    expect(() =>
      combine(
        [
          { x: 1, y: 5n },
          { x: 1, y: 6n },
        ],
        2,
      ),
    ).toThrow("Two shares have the same place; each holder has one.");
    expect(combine([{ x: 1, y: 2n ** 256n - 1n }], 1)).toEqual(Buffer.alloc(32, 255));
    expect(() => combine([{ x: 1, y: 2n ** 256n }], 1)).toThrow("The shares do not belong together.");
  });
});

describe("masks", () => {
  const key = Buffer.alloc(32, 9);

  test("are taken away by what adds them, chunks and all", () => {
    const long = (1 << 14) + 5;
    const sum = emptySummand(long, 3);
    addMask(sum, key, 1);
    const short = emptySummand(7, 3);
    addMask(short, key, 1);
    expect([...sum.words.subarray(0, 7)]).toEqual([...short.words]);
    expect(sum.numbers).toEqual(short.numbers);
    // Every word has a mask, no two chunks the same, and numbers have another stream than words.
    expect(sum.words.filter((word) => word === 0).length).toBeLessThan(3);
    expect([...sum.words.subarray(1 << 14)]).not.toEqual([...sum.words.subarray(0, 5)]);
    expect([...new Int32Array(short.numbers.buffer)]).not.toEqual([...short.words.subarray(0, 6)]);
    addMask(sum, key, -1);
    expect(sum).toEqual(emptySummand(long, 3));
  });

  test("are the key's own streams, one for words and one for numbers", () => {
    const sum = { words: Int32Array.of(1, -2, 3), numbers: BigInt64Array.of(4n, -5n) };
    addMask(sum, key, 1);
    const [words, numbers] = [
      new Int32Array(keystream(key, 0)(12)),
      new BigInt64Array(keystream(key, 1)(16)),
    ];
    expect([...sum.words]).toEqual([1, -2, 3].map((own, i) => (own + words[i]) | 0));
    expect([...sum.numbers]).toEqual([4n, -5n].map((own, i) => BigInt.asIntN(64, own + numbers[i])));
  });

  test("and summands are added modulo 2³² and 2⁶⁴", () => {
    const sum = { words: Int32Array.of(2 ** 31 - 1, 5), numbers: BigInt64Array.of(2n ** 63n - 1n, -5n) };
    addSummand(sum, { words: Int32Array.of(1, -7), numbers: BigInt64Array.of(1n, 7n) });
    expect(sum).toEqual({
      words: Int32Array.of(-(2 ** 31), -2),
      numbers: BigInt64Array.of(-(2n ** 63n), 2n),
    });
  });
});

/** Six sites, one gone before dealing, one after it. */
function attempt() {
  const sites = ["a", "b", "c", "d", "e", "f"];
  const random = seededBytes("attempt");
  const secrets = new Map(sites.map((site) => [site, newSecrets(random)]));
  const cohort = sites.map((site) => memberOf(site, secrets.get(site)!));
  const survivors = new Set(["a", "b", "d", "e"]);
  const settled = { cohort, survivors, context: "context" };
  const held = new Map(sites.map((site) => [site, new Map<string, Held>()]));
  for (const from of sites) {
    const { own, boxes } = deal(from, secrets.get(from)!, cohort, "context", random);
    held.get(from)!.set(from, own);
    for (const { to, box } of boxes) {
      const sender = cohort.find(({ site }) => site === from)!;
      held.get(to)!.set(from, openBox(to, secrets.get(to)!, sender, box, "context"));
    }
  }
  const summand = (i: number) => ({ words: Int32Array.of(i, -i), numbers: BigInt64Array.of(BigInt(i)) });
  const uploaded = () => {
    const sum = emptySummand(2, 1);
    for (const site of survivors)
      addSummand(sum, masked(site, secrets.get(site)!, cohort, "context", summand(sites.indexOf(site))));
    return sum;
  };
  const reveals = (...of: string[]): Map<string, Revealed> =>
    new Map(of.map((site) => [site, revealed(held.get(site)!, survivors)]));
  return { secrets, cohort, settled, uploaded, reveals };
}

describe("an attempt of six sites, two gone after dealing,", () => {
  test("gives the sum of the four, with the shares of five", () => {
    const { settled, uploaded, reveals } = attempt();
    const all = reveals("a", "b", "d", "e", "f");
    expect(quorumOf(3, 6)).toBe(5);
    expect(enough(settled, all)).toBe(true);
    const sum = uploaded();
    unmask(sum, settled, all);
    expect(sum).toEqual({ words: Int32Array.of(8, -8), numbers: BigInt64Array.of(8n) });
  });

  test("does not with the shares of four", () => {
    const { settled, uploaded, reveals } = attempt();
    expect(enough(settled, reveals("a", "b", "d", "e"))).toBe(false);
    expect(() => unmask(uploaded(), settled, reveals("a", "b", "d", "e"))).toThrow(
      "5 shares are needed to give a secret back, and there are 4.",
    );
  });

  const wrongShare = (share: string): string => (BigInt(`0x${share}`) ^ 1n).toString(16).padStart(66, "0");

  test.each(["selves", "masks"] as const)(
    "does with one wrong share of %s, where there is one more",
    (kind) => {
      const { settled, uploaded, reveals } = attempt();
      const of = kind === "selves" ? "b" : "c";
      const wrong = reveals("a", "b", "d", "e", "f");
      const first = wrong.get("a")!;
      const lying = { ...first, [kind]: { ...first[kind], [of]: wrongShare(first[kind][of]) } };
      const sum = uploaded();
      expect(() => unmask(sum, settled, new Map([...wrong, ["a", lying]]))).toThrow(
        `The shares that ${of} dealt do not give its secret.`,
      );
      // Five of six holders can answer, since c is gone; one wrong share of five leaves too few.
      const more = reveals("a", "b", "c", "d", "e", "f");
      const again = uploaded();
      unmask(again, settled, new Map([...more, ["a", lying]]));
      expect(again).toEqual({ words: Int32Array.of(8, -8), numbers: BigInt64Array.of(8n) });
    },
  );

  test("a site's keys are those of its own secrets, all different", () => {
    const { secrets, cohort } = attempt();
    const { mask, channel, self } = secrets.get("a")!;
    expect(cohort[0]).toEqual({
      ...{ site: "a", least: 3, mask: publicKey(mask), channel: publicKey(channel), self: digest(self) },
    });
    expect([mask, channel, self].map((bytes) => bytes.length)).toEqual([32, 32, 32]);
    expect(new Set([mask, channel, self].map((bytes) => bytes.toString("hex"))).size).toBe(3);
  });

  test("both masks are bound to the context", () => {
    const { secrets, cohort } = attempt();
    const under = (context: string, ...half: string[]): Int32Array =>
      masked("a", secrets.get("a")!, cohort, context, emptySummand(1, 1), new Set(half)).words;
    expect(under("one")).not.toEqual(under("another"));
    const pair = (context: string): number => (under(context, "b")[0] - under(context)[0]) | 0;
    expect(pair("one")).not.toBe(pair("another"));
  });

  test("a masked summand is not the summand, whoever sums with it", () => {
    const { secrets, cohort } = attempt();
    const none = masked("a", secrets.get("a")!, cohort, "context", emptySummand(2, 1), new Set());
    const one = masked("a", secrets.get("a")!, cohort, "context", emptySummand(2, 1), new Set(["b"]));
    const other = masked("a", secrets.get("a")!, cohort, "another", emptySummand(2, 1), new Set(["b"]));
    const texts = [emptySummand(2, 1), none, one, other].map(({ words }) => words.join());
    expect(new Set(texts).size).toBe(4);
  });
});
