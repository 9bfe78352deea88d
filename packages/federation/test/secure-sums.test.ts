// Secure sums: exact whoever drops out, silent about single summands, and broken by anyone who was shown something else.
import {
  addMask,
  addSummand,
  agreedKey,
  type Cohort,
  combine,
  deal,
  digest,
  emptySummand,
  enough,
  type Held,
  hex,
  isLowOrder,
  masked,
  memberOf,
  neighboursOf,
  newSecrets,
  openBox,
  prime,
  quorumOf,
  type Revealed,
  revealed,
  type Secrets,
  type Summand,
  split,
  unmask,
} from "@pliant/federation";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { selfKey } from "../src/sums/site.js";
import { seededBytes, seededNumbers } from "./seeded.js";

interface Drops {
  /** After shares are dealt, and after uploading. */
  readonly middle?: readonly number[];
  readonly late?: readonly number[];
  /** What a site was shown, where it differs. */
  readonly shown?: Readonly<Record<number, string>>;
}

const nameOf = (i: number): string => `site-${String(i).padStart(4, "0")}`;

/** An attempt, up to everything the coordinator has seen. */
function attempt(
  summands: readonly Summand[],
  { middle = [], late = [], shown = {} }: Drops,
  seed: number | string,
) {
  const random = seededBytes(seed);
  const sites = summands.map((_, i) => nameOf(i));
  const secrets = new Map<string, Secrets>(sites.map((site) => [site, newSecrets(random)]));
  const cohort: Cohort = sites.map((site) => memberOf(site, secrets.get(site)!));
  const contextOf = (i: number) => digest(`${shown[i] ?? "the model"} ${JSON.stringify(cohort)}`);
  const held = new Map(sites.map((site) => [site, new Map<string, Held>()]));
  for (const [i, site] of sites.entries()) {
    const dealt = deal(site, secrets.get(site)!, cohort, contextOf(i), random);
    held.get(site)!.set(site, dealt.own);
    for (const { to, box } of dealt.boxes) {
      const j = sites.indexOf(to);
      if (contextOf(i) !== contextOf(j)) continue;
      held.get(to)!.set(site, openBox(to, secrets.get(to)!, cohort[i], box, contextOf(j)));
    }
  }
  const survivors = new Set(sites.filter((_, i) => !middle.includes(i)));
  const uploads = new Map(
    [...survivors].map((site) => {
      const i = sites.indexOf(site);
      return [site, masked(site, secrets.get(site)!, cohort, contextOf(i), summands[i])];
    }),
  );
  const reveals = new Map<string, Revealed>(
    [...survivors]
      .filter((site) => !late.includes(sites.indexOf(site)))
      .map((site) => [site, revealed(held.get(site)!, survivors)]),
  );
  const sum = emptySummand(summands[0].words.length, summands[0].numbers.length);
  for (const upload of uploads.values()) addSummand(sum, upload);
  const settled = { cohort, survivors, context: contextOf(0) };
  return { sum, settled, reveals, uploads, secrets };
}

function drawn(n: number, words: number, seed: number): Summand[] {
  const random = seededBytes(seed);
  return Array.from({ length: n }, () => ({
    words: Int32Array.from({ length: words }, () => random(4).readInt32LE() >> 8),
    numbers: BigInt64Array.of(1n, random(8).readBigInt64LE() >> 12n),
  }));
}

function plainSum(summands: readonly Summand[], out: readonly number[]): Summand {
  const sum = emptySummand(summands[0].words.length, summands[0].numbers.length);
  for (const [i, summand] of summands.entries()) if (!out.includes(i)) addSummand(sum, summand);
  return sum;
}

describe("a sum is exact over the survivors", () => {
  test("whoever drops out, after dealing or after uploading", () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 12 }), fc.nat(), (n, seed) => {
        const number = seededNumbers(seed);
        const spare = n - quorumOf(3, n);
        const gone = Array.from({ length: Math.floor(number() * (spare + 1)) }, () =>
          Math.floor(number() * n),
        );
        const [middle, late] = [0, 1].map((k) => [...new Set(gone.filter((_, i) => i % 2 === k))]);
        const summands = drawn(n, 5, seed);
        const { sum, settled, reveals } = attempt(summands, { middle, late }, seed);
        expect(enough(settled, reveals)).toBe(true);
        unmask(sum, settled, reveals);
        expect(sum).toEqual(plainSum(summands, middle));
      }),
      { numRuns: 25, seed: 5 },
    );
  });

  test("on a sparse graph of 60 sites, 6 of them gone", () => {
    const summands = drawn(60, 3, 1);
    const { sum, settled, reveals } = attempt(summands, { middle: [0, 3, 17, 44], late: [20, 59] }, 9);
    for (const around of neighboursOf(settled.cohort).values()) expect(around).toHaveLength(36);
    unmask(sum, settled, reveals);
    expect(sum).toEqual(plainSum(summands, [0, 3, 17, 44]));
  });

  test("neighbours are mutual", () => {
    const { settled } = attempt(drawn(60, 1, 1), {}, 2);
    const neighbours = neighboursOf(settled.cohort);
    for (const [site, around] of neighbours)
      for (const other of around) expect(neighbours.get(other.site)!.map((m) => m.site)).toContain(site);
  });
});

describe("nothing but the sum is learnt", () => {
  test("with one share too few nothing is unmasked", () => {
    const summands = drawn(5, 4, 3);
    const { sum, settled, reveals } = attempt(summands, { late: [1, 2] }, 3);
    expect(reveals.size).toBe(quorumOf(3, 5) - 1);
    expect(enough(settled, reveals)).toBe(false);
    expect(() => unmask(sum, settled, reveals)).toThrow(
      "4 shares are needed to give a secret back, and there are 3.",
    );
  });

  test("t − 1 shares go with every secret alike", () => {
    // Given t − 1 shares, each secret is consistent with exactly one last share, so they rule none out.
    const random = seededBytes("shares");
    const shares = split(random(32), 4, [1, 2, 3, 4, 5], random);
    const known = shares.slice(0, 3);
    const seen = new Set(
      [0n, 1n, prime - 1n, shares[3].y].map((y) => hex(tryCombine([...known, { x: 4, y }]))),
    );
    expect(seen.size).toBe(4);
  });

  test("one masked summand is uniform to whoever lacks its secrets, the coordinator and its neighbours included", () => {
    // Everything the coordinator has, and the pairwise secrets of all but one other site: what is left must still be uniform.
    const counts = new Float64Array(256);
    let drawnBytes = 0;
    for (let seed = 0; seed < 60; seed++) {
      const summands = Array.from({ length: 5 }, () => ({
        words: new Int32Array(256).fill(7),
        numbers: BigInt64Array.of(1n, 42n),
      }));
      const { uploads, secrets, settled } = attempt(summands, {}, `uniform ${seed}`);
      const left = uploads.get(nameOf(0))!;
      // The colluders 1, 2 and 3 take their masks away.
      for (const i of [1, 2, 3]) {
        const pair = masked(
          nameOf(0),
          secrets.get(nameOf(0))!,
          settled.cohort,
          settled.context,
          emptySummand(256, 2),
          new Set([nameOf(i)]),
        );
        const self = masked(
          nameOf(0),
          secrets.get(nameOf(0))!,
          settled.cohort,
          settled.context,
          emptySummand(256, 2),
          new Set(),
        );
        for (let k = 0; k < 256; k++) left.words[k] = (left.words[k] - pair.words[k] + self.words[k]) | 0;
      }
      for (const byte of new Uint8Array(left.words.buffer)) {
        counts[byte]++;
        drawnBytes++;
      }
    }
    const expected = drawnBytes / 256;
    const chiSquared = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 255 degrees of freedom: 99.9% of uniform draws lie below 330.5, 0.1% below 190.9.
    expect(chiSquared).toBeLessThan(330.5);
    expect(chiSquared).toBeGreaterThan(190.9);
  });

  test("a site that was shown another model breaks the sum, and is not laid open", () => {
    const summands = drawn(5, 4, 8);
    const { sum, settled, reveals } = attempt(summands, { shown: { 4: "a model made for it alone" } }, 8);
    // Its shares do not even open at the others.
    expect(Object.keys(reveals.get(nameOf(0))!.selves)).not.toContain(nameOf(4));
    expect(enough(settled, reveals)).toBe(false);
    expect(sum).not.toEqual(plainSum(summands, []));
  });

  test("a share never goes out for both secrets of a site", () => {
    const held = new Map([["a", { mask: "m", self: "s" }]]);
    expect(revealed(held, new Set(["a"]))).toEqual({ selves: { a: "s" }, masks: {} });
    expect(revealed(held, new Set())).toEqual({ selves: {}, masks: { a: "m" } });
  });
});

function tryCombine(shares: { x: number; y: bigint }[]): Buffer {
  try {
    return combine(shares, shares.length);
  } catch {
    // Beyond 2²⁵⁶, which 297 values of the field are.
    return Buffer.from(shares.at(-1)!.y.toString(16));
  }
}

describe("keys", () => {
  test("of low order are refused", () => {
    const secret = seededBytes(1)(32);
    const low = [
      "00".repeat(32),
      `01${"00".repeat(31)}`,
      "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
      "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
      `ecffffff${"ff".repeat(27)}7f`,
      `edffffff${"ff".repeat(27)}7f`,
      `eeffffff${"ff".repeat(27)}7f`,
    ];
    expect([...low, "beef", memberOf("a", newSecrets(seededBytes(2))).mask].map(isLowOrder)).toEqual([
      ...[...low, "beef"].map(() => true),
      false,
    ]);
    for (const key of low)
      expect(() => agreedKey(secret, key, "test")).toThrow("it is of low order, or no key at all");
    expect(() => agreedKey(secret, "beef", "test")).toThrow("no key at all");
  });

  test("agree, and differ by purpose", () => {
    const [a, b] = [newSecrets(seededBytes(1)), newSecrets(seededBytes(2))];
    const [A, B] = [memberOf("a", a), memberOf("b", b)];
    expect(agreedKey(a.mask, B.mask, "x")).toEqual(agreedKey(b.mask, A.mask, "x"));
    expect(agreedKey(a.mask, B.mask, "x")).not.toEqual(agreedKey(a.mask, B.mask, "y"));
  });

  test("a box opens for its holder, its model and its attempt only", () => {
    const random = seededBytes(4);
    const all = ["a", "b", "c"].map((site) => ({ site, secrets: newSecrets(random) }));
    const cohort = all.map(({ site, secrets }) => memberOf(site, secrets));
    const { boxes } = deal("a", all[0].secrets, cohort, "context", random);
    const toB = boxes.find(({ to }) => to === "b")!.box;
    expect(openBox("b", all[1].secrets, cohort[0], toB, "context").self).toHaveLength(66);
    expect(() => openBox("c", all[2].secrets, cohort[0], toB, "context")).toThrow(
      "The shares from a do not open",
    );
    expect(() => openBox("b", all[1].secrets, cohort[0], toB, "replayed")).toThrow(
      "The shares from a do not open",
    );
  });
});

test("a member that copies another's key does not take its mask away from a third", () => {
  const random = seededBytes("copies");
  const secrets = new Map(["a", "b", "c"].map((site) => [site, newSecrets(random)]));
  const [a, b, c] = [...secrets].map(([site, own]) => memberOf(site, own));
  // With the key of a, c stands on the other side of b: its mask would be that of a with the other sign. The highest bit of a
  // key counts for nothing, so that it need not even look the same.
  const high =
    a.mask.slice(0, 62) + (Number.parseInt(a.mask.slice(62), 16) ^ 128).toString(16).padStart(2, "0");
  for (const mask of [a.mask, high]) {
    const cohort = [a, b, { ...c, mask }];
    const summand = { words: Int32Array.of(7, 8, 9), numbers: BigInt64Array.of(1n) };
    const upload = masked("b", secrets.get("b")!, cohort, "context", summand);
    // What is left once its own mask is known, as it is after every sum.
    addMask(upload, selfKey(secrets.get("b")!.self, "context"), -1);
    expect(upload.words).not.toEqual(summand.words);
  }
});
