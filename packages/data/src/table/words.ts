// The different texts of a column, told apart by their bytes, so that a text that is there already is no string again.

export class Words {
  private slots = new Int32Array(64).fill(-1);
  private readonly hashes: number[] = [];
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];

  constructor(private readonly bytes: Uint8Array) {}

  /** The place of a text among them, where a new one goes last. */
  place(from: number, to: number, hash: number): number {
    const { bytes, starts, ends, hashes } = this;
    const mask = this.slots.length - 1;
    let slot = mixed(hash) & mask;
    for (let known = this.slots[slot]; known >= 0; known = this.slots[slot]) {
      if (hashes[known] === hash && ends[known] - starts[known] === to - from) {
        let a = starts[known];
        let b = from;
        while (b < to && bytes[a] === bytes[b]) {
          a++;
          b++;
        }
        if (b === to) return known;
      }
      slot = (slot + 1) & mask;
    }
    const place = starts.length;
    this.slots[slot] = place;
    starts.push(from);
    ends.push(to);
    hashes.push(hash);
    if (2 * starts.length > this.slots.length) this.grow();
    return place;
  }

  private grow(): void {
    const slots = new Int32Array(4 * this.slots.length).fill(-1);
    const mask = slots.length - 1;
    for (const [place, hash] of this.hashes.entries()) {
      let slot = mixed(hash) & mask;
      while (slots[slot] >= 0) slot = (slot + 1) & mask;
      slots[slot] = place;
    }
    this.slots = slots;
  }

  /** In their order; undefined where one is not UTF-8. */
  texts(): string[] | undefined {
    const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    try {
      return this.starts.map((from, i) => utf8.decode(this.bytes.subarray(from, this.ends[i])));
    } catch {
      return undefined;
    }
  }
}

/** Texts that differ in their last letters alone have hashes beside each other, which would fill slots in rows. */
const mixed = (hash: number): number => Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 8;
