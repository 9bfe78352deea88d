// PNG images as rows of pixels: grey or colour of up to 8 bits, palettes included. Read: the PNG specification, third edition (W3C 2025),
// sections 7 (what is in a file), 9 (filters) and 11 (chunks).
import { inflateSync } from "node:zlib";
import { InputError } from "@pliant/core";

/** A decoded image. */
export interface Image {
  readonly width: number;
  readonly height: number;
  /** 1 grey, 3 red, green and blue. */
  readonly channels: 1 | 3;
  /** Between 0 and 255, row by row, the channels of a pixel side by side. */
  readonly pixels: Uint8Array;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Samples of a pixel, by colour type: grey, colour, palette, grey and opacity, colour and opacity. */
const samplesOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Bits of a sample; fewer than 8 only where a pixel has one. */
const depths = [1, 2, 4, 8, 16];

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, 8).equals(signature);

/** A PNG of 8 bits or fewer, not interlaced, as grey or red, green and blue; `source` is what a message calls it. */
export function decodePng(bytes: Buffer, source: string): Image {
  const wrong = (what: string) => new InputError(`${source}: ${what}.`);
  const { header, palette, opacity, data } = chunksOf(bytes, wrong);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, colour, , , interlaced] = header.subarray(8);
  const samples = samplesOf[colour];
  const known = samples !== undefined && depths.includes(depth) && (samples === 1 || depth >= 8);
  if (!known || width === 0 || height === 0) throw wrong("this is no PNG image");
  if (depth === 16) throw wrong("images of 16 bits are not read; save it with 8");
  if (interlaced) throw wrong("interlaced images are not read; save it without");
  const stride = Math.ceil((width * samples * depth) / 8);
  let raw: Buffer;
  try {
    raw = inflateSync(data);
  } catch {
    throw wrong("the image is damaged");
  }
  if (raw.length < height * (stride + 1)) throw wrong("the image is damaged");
  const rows = unfiltered(raw, height, stride, Math.max(1, (samples * depth) / 8), wrong);

  /** The k-th sample of a row. */
  const sample = (row: number, k: number): number => {
    if (depth === 8) return rows[row * stride + k];
    const at = k * depth;
    return (rows[row * stride + (at >> 3)] >> (8 - depth - (at & 7))) & (2 ** depth - 1);
  };
  if (colour === 3 && !palette) throw wrong("the image is damaged");
  const transparent = () => wrong("the image is transparent in places; save it without transparency");
  // One colour of an image without a palette stands for nothing there.
  if (opacity && colour !== 3) throw transparent();
  const channels = colour === 0 || colour === 4 ? 1 : 3;
  const pixels = new Uint8Array(width * height * channels);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const to = (row * width + column) * channels;
      if ((colour === 4 || colour === 6) && sample(row, (column + 1) * samples - 1) !== 255)
        throw transparent();
      if (colour === 3) {
        const place = sample(row, column);
        if (3 * place >= palette!.length) throw wrong("the image is damaged");
        if ((opacity?.[place] ?? 255) !== 255) throw transparent();
      }
      for (let k = 0; k < channels; k++) {
        if (colour === 3) pixels[to + k] = palette![3 * sample(row, column) + k];
        else pixels[to + k] = (sample(row, column * samples + k) * 255) / (2 ** depth - 1);
      }
    }
  return { width, height, channels, pixels };
}

type Wrong = (what: string) => InputError;

interface Chunks {
  readonly header: Buffer;
  readonly palette?: Buffer;
  readonly opacity?: Buffer;
  readonly data: Buffer;
}

function chunksOf(bytes: Buffer, wrong: Wrong): Chunks {
  if (!isPng(bytes)) throw wrong("this is no PNG image");
  const found = new Map<string, Buffer[]>();
  for (let at = 8; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const kind = bytes.toString("latin1", at + 4, at + 8);
    found.set(kind, [...(found.get(kind) ?? []), bytes.subarray(at + 8, at + 8 + length)]);
    at += 12 + length;
  }
  const [header] = found.get("IHDR") ?? [];
  const data = found.get("IDAT");
  if (header?.length !== 13 || !data) throw wrong("the image is damaged");
  return {
    header,
    palette: found.get("PLTE")?.[0],
    opacity: found.get("tRNS")?.[0],
    data: Buffer.concat(data),
  };
}

/** Each row has a filter's number before it: what was taken from a byte is that to its left, above, between, or the nearest of them. */
function unfiltered(raw: Buffer, height: number, stride: number, left: number, wrong: Wrong): Uint8Array {
  const rows = new Uint8Array(height * stride);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)];
    if (filter > 4) throw wrong("the image is damaged");
    for (let i = 0; i < stride; i++) {
      const at = row * stride + i;
      const a = i >= left ? rows[at - left] : 0;
      const b = row > 0 ? rows[at - stride] : 0;
      const c = i >= left && row > 0 ? rows[at - stride - left] : 0;
      const taken = [0, a, b, (a + b) >> 1, nearest(a, b, c)][filter];
      rows[at] = raw[row * (stride + 1) + 1 + i] + taken;
    }
  }
  return rows;
}

/** Paeth's: of left, above and above left, the one nearest to a + b − c; the earlier where two are. */
function nearest(a: number, b: number, c: number): number {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}
