// The share of a beta distribution below a point, by its continued fraction (Abramowitz and Stegun, 26.5.8, evaluated by Lentz's
// method). For whole numbers it is a binomial tail: the probability that at least a of a + b − 1 trials succeed.

/** I_x(a, b). */
export function betaShare(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges quickly below the mean; above it the other tail does.
  if (x > (a + 1) / (a + b + 2)) return 1 - betaShare(1 - x, b, a);
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x) - Math.log(a),
  );
  return front * fraction(x, a, b);
}

const [tiny, most, near] = [1e-300, 10_000, 1e-15];
const nonzero = (y: number): number => (Math.abs(y) < tiny ? tiny : y);

/** 1/(1 + d₁/(1 + d₂/(1 + …))). */
function fraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / nonzero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= most; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let by = 1;
    for (const term of [even, odd]) {
      d = 1 / nonzero(1 + term * d);
      c = nonzero(1 + term / c);
      by = c * d;
      value *= by;
    }
    if (Math.abs(by - 1) < near) break;
  }
  return value;
}

/** ln Γ(x) for x > 0 by Stirling's series, from where it is exact to rounding. */
function logGamma(x: number): number {
  let [y, shift] = [x, 0];
  while (y < 12) {
    shift -= Math.log(y);
    y += 1;
  }
  const r = 1 / (y * y);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / y;
  return shift + (y - 0.5) * Math.log(y) - y + 0.5 * Math.log(2 * Math.PI) + series;
}
