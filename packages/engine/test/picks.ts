// Choices by a seed: the same one after another wherever they are drawn.

export class Picks {
  private state: number;

  constructor(seed = 0) {
    this.state = seed | 0;
  }

  reseed(seed: number): void {
    this.state = seed | 0;
  }

  /** A whole number from 0 to n − 1 (the mixing function of splitmix32). */
  pick(n: number): number {
    this.state = (this.state + 0x9e3779b9) | 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) % n;
  }

  chance(n: number): boolean {
    return this.pick(n) === 0;
  }

  among<T>(list: readonly T[]): T {
    return list[this.pick(list.length)];
  }
}
