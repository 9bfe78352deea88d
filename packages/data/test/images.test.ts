// Images: PNG files written here by the specification's rules, and folders of them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { decodePng, readImageFolder } from "@pliant/data";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";

/** Checksums are 0, because the reader does not check them. */
const chunk = (kind: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(kind, "latin1"), data, Buffer.alloc(4)]);
};

interface Written {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colour: number;
  readonly interlaced?: boolean;
  readonly palette?: Buffer;
  /** How opaque each colour of the palette is, or which colour is not. */
  readonly opacity?: Buffer;
}

/** Lines with their filters before them. */
function png({ width, height, depth, colour, interlaced, palette, opacity }: Written, lines: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour, 0, 0, Number(interlaced ?? false)], 8);
  const data = deflateSync(lines);
  const cut = Math.floor(data.length / 2);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    ...(palette ? [chunk("PLTE", palette)] : []),
    ...(opacity ? [chunk("tRNS", opacity)] : []),
    // In two pieces, as large files have them.
    chunk("IDAT", data.subarray(0, cut)),
    chunk("IDAT", data.subarray(cut)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The bytes of filtered lines: each byte minus the prediction of the filter. */
function filtered(
  bytes: readonly number[],
  stride: number,
  left: number,
  filters: readonly number[],
): Buffer {
  return Buffer.concat(
    filters.map((filter, row) => {
      const line = Array.from({ length: stride }, (_, i) => {
        const at = (r: number, k: number) => (r < 0 || k < 0 ? 0 : bytes[r * stride + k]);
        const [a, b, c] = [at(row, i - left), at(row - 1, i), at(row - 1, i - left)];
        const guess = a + b - c;
        const order = [a, b, c].map((v, k) => [Math.abs(guess - v), k, v]);
        const [, , paeth] = order.sort((x, y) => x[0] - y[0] || x[1] - y[1])[0];
        const foretold = [0, a, b, Math.floor((a + b) / 2), paeth][filter];
        return (at(row, i) - foretold + 512) % 256;
      });
      return Buffer.from([filter, ...line]);
    }),
  );
}

describe("a PNG image", () => {
  const kinds = [
    { colour: 0, samples: 1, channels: 1 },
    { colour: 2, samples: 3, channels: 3 },
    { colour: 4, samples: 2, channels: 1 },
    { colour: 6, samples: 4, channels: 3 },
  ];
  test.each(kinds)(
    "with colour type $colour is decoded under every filter",
    ({ colour, samples, channels }) => {
      const side = fc.integer({ min: 1, max: 6 });
      fc.assert(
        fc.property(
          side,
          side,
          fc.infiniteStream(fc.nat(255)),
          fc.infiniteStream(fc.nat(4)),
          (width, height, some, f) => {
            const opaque = samples > channels;
            const bytes = Array.from({ length: width * height * samples }, (_, i) =>
              opaque && i % samples === samples - 1 ? 255 : some.next().value!,
            );
            const filters = Array.from({ length: height }, () => f.next().value!);
            const file = png(
              { width, height, depth: 8, colour },
              filtered(bytes, width * samples, samples, filters),
            );
            const { pixels, ...image } = decodePng(file, "it");
            expect(image).toEqual({ width, height, channels });
            expect(Array.from(pixels)).toEqual(bytes.filter((_, i) => i % samples < channels));
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  test("with few bits is scaled to 0 to 255, and a palette gives colours", () => {
    const grey = png({ width: 3, height: 1, depth: 2, colour: 0 }, Buffer.from([0, 0b00_01_11_00]));
    expect(Array.from(decodePng(grey, "it").pixels)).toEqual([0, 85, 255]);
    const palette = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const drawn = png({ width: 2, height: 1, depth: 4, colour: 3, palette }, Buffer.from([0, 0x20]));
    expect(Array.from(decodePng(drawn, "it").pixels)).toEqual([7, 8, 9, 1, 2, 3]);
    // The second colour is not opaque, and is not in the image.
    const opacity = Buffer.from([255, 0]);
    const written = { width: 2, height: 1, depth: 4, colour: 3, palette, opacity };
    expect(decodePng(png(written, Buffer.from([0, 0x20])), "it")).toEqual(decodePng(drawn, "it"));
    expect(() => decodePng(png(written, Buffer.from([0, 0x21])), "it")).toThrow("transparent in places");
  });

  const one = { width: 1, height: 1, depth: 8, colour: 0 };
  test.each([
    [Buffer.from("JFIF"), "it: this is no PNG image."],
    [png({ ...one, depth: 16 }, Buffer.alloc(3)), "images of 16 bits are not read"],
    [png({ ...one, interlaced: true }, Buffer.alloc(2)), "interlaced images are not read"],
    [png({ ...one, height: 2 }, Buffer.alloc(2)), "the image is damaged"],
    [png({ ...one, colour: 3 }, Buffer.alloc(2)), "the image is damaged"],
    [png(one, Buffer.from([9, 0])), "the image is damaged"],
    [png(one, Buffer.alloc(2)).subarray(0, 40), "the image is damaged"],
    [png({ ...one, colour: 4 }, Buffer.from([0, 5, 128])), "the image is transparent in places"],
    [png({ ...one, opacity: Buffer.from([0, 7]) }, Buffer.alloc(2)), "the image is transparent in places"],
    [png({ ...one, depth: 3 }, Buffer.alloc(2)), "this is no PNG image"],
    [png({ ...one, depth: 0 }, Buffer.alloc(2)), "this is no PNG image"],
    [png({ ...one, colour: 2, depth: 4 }, Buffer.alloc(3)), "this is no PNG image"],
    [png({ ...one, colour: 3, palette: Buffer.alloc(6) }, Buffer.from([0, 2])), "the image is damaged"],
  ])("that cannot be read is told: %#", (file, sentence) => {
    expect(() => decodePng(file, "it")).toThrow(sentence);
  });
});

describe("a folder of images", () => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-images-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const grey = (...pixels: number[]) =>
    png({ width: 2, height: 1, depth: 8, colour: 0 }, Buffer.from([0, ...pixels]));
  const laid = (name: string, files: Record<string, Buffer>): string => {
    for (const [path, bytes] of Object.entries(files)) {
      mkdirSync(join(folder, name, path, ".."), { recursive: true });
      writeFileSync(join(folder, name, path), bytes);
    }
    return join(folder, name);
  };
  const asked = { width: 2, height: 1, channels: 1, classes: ["well", "ill", "other"] };

  test("has a label for each image, in the order of the classes", () => {
    const scans = laid("good", {
      "ill/b.png": grey(51, 102),
      "ill/a.PNG": grey(0, 255),
      "well/z.png": grey(255, 0),
      "well/.hidden": Buffer.alloc(1),
    });
    const { pixels, labels } = readImageFolder(scans, asked);
    expect(Array.from(labels)).toEqual([0, 1, 1]);
    expect(pixels).toEqual(Float32Array.from([1, 0, 0, 1, 0.2, 0.4]));
  });

  test.each([
    [
      { "ill/a.png": grey(1, 2), "sick/a.png": grey(1, 2) },
      "sick is no folder of a class; the classes are well, ill, other.",
    ],
    [{ "a.png": grey(1, 2) }, "a.png is no folder of a class"],
    [{ "ill/a.jpg": grey(1, 2) }, "a.jpg: images are read as PNG; save it as such."],
    [{ "ill/.hidden": grey(1, 2) }, "has no images."],
    [
      { "ill/a.png": png({ width: 1, height: 1, depth: 8, colour: 2 }, Buffer.alloc(4)) },
      "a.png has 1 × 1 pixels in colour, and 2 × 1 in grey were expected.",
    ],
  ])("that does not fit is told: %#", (files, sentence) => {
    const scans = laid(`bad-${sentence.length}`, files as never);
    expect(() => readImageFolder(scans, asked)).toThrow(sentence);
  });
});
