// What is spent, against an accountant of others, against what is known in closed form, and against what must always hold.
import { epsilonOf, noiseFor, privacyFor } from "@pliant/federated";
import { describe, expect, test } from "vitest";

// rate, noise, times, δ; ε by dp-accounting 0.6.0, RdpAccountant at the same orders; ε by its PLDAccountant, which is exact to 10⁻³.
// In two of them it leaves out orders near 1, whose series does not converge there: ours is then the smaller.
const published = [
  { rate: 1, noise: 8, times: 500, delta: 1e-3, rdp: 13.086788723107027, pld: 11.875256799593313 },
  { rate: 1, noise: 4, times: 10, delta: 1e-5, rdp: 3.617099772983339, pld: 3.3414102067705853 },
  { rate: 0.01, noise: 4, times: 10000, delta: 1e-5, rdp: 1.0354900660362436, pld: 0.9600452104972911 },
  {
    rate: 256 / 60000,
    noise: 1.1,
    times: 14040,
    delta: 1e-5,
    rdp: 2.5943633557853634,
    pld: 2.3884794055755476,
  },
  { rate: 0.25, noise: 1.3, times: 120, delta: 1e-5, most: 14.740596422768249, pld: 13.339227428853 },
  { rate: 0.05, noise: 0.7, times: 300, delta: 1e-6, most: 16.13229564852847, pld: 14.493663997310666 },
  { rate: 0.5, noise: 2, times: 1, delta: 1e-5, rdp: 1.5228001985408304, pld: 1.3535746268286069 },
  { rate: 0.001, noise: 0.6, times: 1, delta: 1e-7, rdp: 2.8311070711389608, pld: 0.774566668112732 },
  { rate: 0.9, noise: 30, times: 50, delta: 1e-4, rdp: 0.7202931810632136, pld: 0.6433412231389656 },
];

test.each(published)("$times sums at rate $rate and noise $noise", ({ delta, rdp, most, pld, ...sums }) => {
  const epsilon = epsilonOf([sums], delta);
  if (rdp !== undefined) expect(Math.abs(epsilon - rdp)).toBeLessThan(1e-8);
  else expect(epsilon).toBeLessThan(most!);
  // An upper bound on what an exact accountant says.
  expect(epsilon).toBeGreaterThan(pld);
});

/** Φ by its series. */
function normal(x: number): number {
  if (x < -8) return 0;
  if (x > 8) return 1;
  let [sum, term] = [x, x];
  for (let k = 3; Math.abs(term) > 1e-18; k += 2) {
    term *= (x * x) / k;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/** δ(ε) of a Gaussian mechanism, exactly (Balle and Wang 2018). */
const deltaOf = (epsilon: number, noise: number): number =>
  normal(0.5 / noise - epsilon * noise) - Math.exp(epsilon) * normal(-0.5 / noise - epsilon * noise);

test("for the plain Gaussian ε is at least the exact value, and at most a fifth above it", () => {
  for (const [noise, times] of [
    [4, 1],
    [4, 10],
    [8, 500],
    [2, 3],
    [30, 100],
  ]) {
    // So many together are one of a smaller noise.
    const epsilon = epsilonOf([{ noise, rate: 1, times }], 1e-5);
    expect(deltaOf(epsilon, noise / Math.sqrt(times))).toBeLessThan(1e-5);
    expect(deltaOf(0.8 * epsilon, noise / Math.sqrt(times))).toBeGreaterThan(1e-5);
  }
});

describe("what must always hold", () => {
  const at = (noise: number, rate: number, times: number) => epsilonOf([{ noise, rate, times }], 1e-5);
  test("more is spent by more steps, less noise, a higher rate and a smaller δ", () => {
    for (const [noise, rate, times] of [
      [1, 0.1, 50],
      [0.8, 0.5, 3],
      [3, 1, 20],
      [6, 0.02, 1000],
    ]) {
      const epsilon = at(noise, rate, times);
      expect(at(noise, rate, times + 1)).toBeGreaterThan(epsilon);
      expect(at(noise * 1.05, rate, times)).toBeLessThan(epsilon);
      if (rate < 1) expect(at(noise, Math.min(1, rate * 1.1), times)).toBeGreaterThan(epsilon);
      expect(epsilonOf([{ noise, rate, times }], 1e-6)).toBeGreaterThan(epsilon);
    }
  });
  test("sums of several kinds add up: never less than one of them, never more than all apart", () => {
    const both = [
      { noise: 1.5, rate: 0.25, times: 120 },
      { noise: 12, rate: 1, times: 6 },
    ];
    const [first, second] = both.map((one) => epsilonOf([one], 5e-6));
    expect(epsilonOf(both, 1e-5)).toBeGreaterThan(epsilonOf([both[0]], 1e-5));
    expect(epsilonOf(both, 1e-5)).toBeLessThan(first + second);
    expect(epsilonOf([], 1e-5)).toBe(0);
  });
  test("the rate of a sample tends to all of them, and split counts to one count", () => {
    expect(at(2, 1 - 1e-9, 5)).toBeCloseTo(at(2, 1, 5), 6);
    const split = [
      { noise: 2, rate: 0.3, times: 3 },
      { noise: 2, rate: 0.3, times: 4 },
    ];
    expect(epsilonOf(split, 1e-5)).toBeCloseTo(at(2, 0.3, 7), 12);
  });
});

test("noise is found that spends the budget, and hardly less", () => {
  const told = (noise: number) => [{ noise, rate: 0.1, times: 200 }];
  const noise = noiseFor(2, 1e-5, told);
  expect(epsilonOf(told(noise), 1e-5)).toBeLessThanOrEqual(2);
  expect(epsilonOf(told(noise * 0.999), 1e-5)).toBeGreaterThan(2);
});

describe("a client's plan", () => {
  const options = { epsilon: 4, delta: 1e-4, clip: 1, lossClip: 2 };
  const work = { rows: 200, local: { rate: 0.1, batch: 20, epochs: 2 }, rounds: 3, communicationRounds: 5 };
  test("the rounds asked for spend the budget, losses included, and one step more is refused", () => {
    const privacy = privacyFor(options, work);
    const whole = { steps: 3 * 5 * 20, losses: 3 };
    expect(privacy.steps).toBe(20);
    expect(privacy.epsilonAt(whole)).toBeCloseTo(4, 3);
    expect(privacy.epsilonAt({ ...whole, losses: 0 })).toBeLessThan(privacy.epsilonAt(whole));
    expect(privacy.refusal(whole)).toBeUndefined();
    expect(privacy.refusal({ ...whole, steps: whole.steps + 1 })).toMatch(
      /budget ε = 4 at δ = 0\.0001 is spent/,
    );
  });
  test("steps on all rows have noise too, many as they may be beside the losses", () => {
    const often = { ...work, local: { rate: 0.1, epochs: 10 } };
    const privacy = privacyFor(options, often);
    expect(privacy.epsilonAt({ steps: 3 * 5 * 10, losses: 3 })).toBeCloseTo(4, 3);
  });
  test("meaningless guarantees are refused", () => {
    expect(() => privacyFor({ ...options, delta: 0.01 }, work)).toThrow(/200 rows needs it below 0\.005/);
    expect(() => privacyFor(options, { ...work, local: { ...work.local, clip: 1 } })).toThrow(
      /leave out the clip/,
    );
    expect(() => privacyFor({ ...options, noise: 0 }, work)).toThrow(
      /privacy\.noise must be a positive number/,
    );
    expect(() => privacyFor({ ...options, noise: 0.01 }, work).epsilonAt({ steps: 1, losses: 0 })).toThrow(
      /at least 0\.1/,
    );
  });
});
