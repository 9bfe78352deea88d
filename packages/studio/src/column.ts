// Numbers one after another in memory that grows: a quantity of a run over its evaluations.

export interface Column {
  readonly length: number;
  /** What has been written, valid until the next `set`. */
  readonly values: Float64Array;
  /** Writes at a row; rows skipped before it have no number. */
  set(row: number, value: number): void;
}

export function column(): Column {
  let memory = new Float64Array(64);
  let length = 0;
  return {
    get length() {
      return length;
    },
    get values() {
      return memory.subarray(0, length);
    },
    set(row, value) {
      if (row >= memory.length) {
        const larger = new Float64Array(Math.max(row + 1, 2 * memory.length));
        larger.set(memory);
        memory = larger;
      }
      if (row > length) memory.fill(Number.NaN, length, row);
      memory[row] = value;
      length = Math.max(length, row + 1);
    },
  };
}
