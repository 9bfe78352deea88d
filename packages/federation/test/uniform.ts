// Whether words look random.
/** χ² of half bytes against uniform ones: 15 degrees of freedom, of which one draw in a billion lies above 75. */
export function chiSquared(words: readonly Int32Array[]): number {
  const counts = new Float64Array(16);
  for (const { buffer } of words)
    for (const byte of new Uint8Array(buffer as ArrayBuffer)) {
      counts[byte >> 4]++;
      counts[byte & 15]++;
    }
  const expected = counts.reduce((a, b) => a + b, 0) / 16;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}
