// How far a sample is from the distribution it should have.

export const mean = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, v) => sum + v, 0) / x.length;

/** Largest distance of the sampled distribution function from `cdf`, times sqrt(n): above 1.95 once in 1000. */
export function kolmogorovSmirnov(sample: ArrayLike<number>, cdf: (x: number) => number): number {
  const sorted = Float64Array.from(sample).sort();
  let distance = 0;
  sorted.forEach((x, i) => {
    const f = cdf(x);
    distance = Math.max(distance, f - i / sorted.length, (i + 1) / sorted.length - f);
  });
  return distance * Math.sqrt(sorted.length);
}

/** 1/2 + phi(x) (x + x^3 / 3 + x^5 / (3 5) + ...): Marsaglia, "Evaluating the normal distribution" (2004). */
export function normalCdf(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 3; Math.abs(term) > 1e-17 * Math.abs(sum); n += 2) {
    term *= (x * x) / n;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

export function chiSquare(observed: ArrayLike<number>, expected: (i: number) => number): number {
  return Array.from(observed).reduce((sum, o, i) => sum + (o - expected(i)) ** 2 / expected(i), 0);
}

export function counts(values: ArrayLike<number>, cells: number): number[] {
  const found = new Array<number>(cells).fill(0);
  for (let i = 0; i < values.length; i++) found[values[i]]++;
  return found;
}

/** Correlation times sqrt(n): a standard normal number when the two samples are independent. */
export function correlation(x: ArrayLike<number>, y: ArrayLike<number>): number {
  const [mx, my] = [mean(x), mean(y)];
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) ** 2;
    yy += (y[i] - my) ** 2;
  }
  return (xy / Math.sqrt(xx * yy)) * Math.sqrt(x.length);
}
