// LZ4 frames, which pandas and Arrow pack Feather files in; https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md.
// Checksums are skipped, not compared.

const magic = 0x184d2204;

/** The content of a frame. */
export function unpackLz4(packed: Uint8Array): Uint8Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  if (view.getUint32(0, true) !== magic) throw new Error("not an LZ4 frame");
  const flags = packed[4];
  const [hasBlockSums, hasSize, hasDictionary] = [flags & 0x10, flags & 0x08, flags & 0x01];
  let at = 6;
  let content = new Uint8Array(hasSize ? Number(view.getBigUint64(at, true)) : 4 * packed.length);
  at += (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0) + 1;
  let end = 0;
  const roomFor = (more: number): void => {
    if (end + more <= content.length) return;
    const larger = new Uint8Array(Math.max(end + more, 2 * content.length));
    larger.set(content);
    content = larger;
  };
  for (;;) {
    const head = view.getUint32(at, true);
    at += 4;
    if (head === 0) return content.subarray(0, end);
    const size = head & 0x7fffffff;
    const block = packed.subarray(at, at + size);
    if (block.length < size) throw new Error("an LZ4 frame is cut short");
    if (head >>> 31) {
      roomFor(size);
      content.set(block, end);
      end += size;
    } else end = unpackBlock(block);
    at += size + (hasBlockSums ? 4 : 0);
  }

  /** Sequences of literals, each followed by a copy of what was written before. */
  function unpackBlock(block: Uint8Array): number {
    let from = 0;
    const length = (nibble: number): number => {
      let sum = nibble;
      if (nibble === 15) for (let byte = 255; byte === 255; sum += byte) byte = block[from++];
      return sum;
    };
    while (from < block.length) {
      const token = block[from++];
      const literals = length(token >> 4);
      roomFor(literals);
      content.set(block.subarray(from, from + literals), end);
      from += literals;
      end += literals;
      if (from >= block.length) break;
      const back = block[from] | (block[from + 1] << 8);
      from += 2;
      const copied = length(token & 15) + 4;
      if (back === 0 || back > end) throw new Error("an LZ4 block is damaged");
      roomFor(copied);
      // A copy may overlap with itself, which repeats its beginning.
      for (const stop = end + copied; end < stop; end++) content[end] = content[end - back];
    }
    return end;
  }
}
