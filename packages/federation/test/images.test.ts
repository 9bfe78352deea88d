// Sites with folders of images, one of them on ONNX Runtime: they learn together, and what does not fit is told before the code is used.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { deflateSync } from "node:zlib";
import type { NdArray } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { checkSpec, decodePlain, exportedModel, invite, join, serve } from "@pliant/federation";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(path(tmpdir(), "pliant-scans-"));
const native = await onnx();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await native.close();
});

const spec = checkSpec({
  name: "scans",
  data: { images: { width: 2, height: 2, channels: 1 }, classes: ["dark", "bright"] },
  model: { hidden: [4] },
  sites: { number: 3, loss: "mean + 0.02" },
  training: { rounds: 3, communicationRounds: 2, rate: 0.5, batch: 4 },
});

/** A grey PNG of 2 × 2 pixels. */
function png(pixels: readonly number[]): Buffer {
  const chunk = (kind: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(kind, "latin1"), data, Buffer.alloc(4)]);
  };
  const header = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 0]);
  const [a, b, c, d] = pixels;
  const lines = Buffer.from([0, a, b, 0, c, d]);
  const head = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([
    head,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function scans(name: string, site: number): string {
  for (const [label, kind] of ["dark", "bright"].entries()) {
    mkdirSync(path(folder, name, kind), { recursive: true });
    for (let i = 0; i < 6; i++)
      writeFileSync(
        path(folder, name, kind, `${i}.png`),
        png([0, 1, 2, 3].map((k) => 180 * label + ((17 * i + 31 * k + 7 * site) % 70))),
      );
  }
  return path(folder, name);
}

test("three sites with folders of images come to one model", async () => {
  const out = path(folder, "coordinator");
  let listening = () => {};
  const ready = new Promise<void>((resolve) => {
    listening = resolve;
  });
  const losses: number[] = [];
  const serving = serve({
    spec,
    out,
    onListening: () => listening(),
    onCommitted: ({ meanLoss }) => void losses.push(meanLoss ?? Number.NaN),
  });
  await ready;
  const stray = scans("stray", 0);
  mkdirSync(path(stray, "dim"));
  const code = await invite(out, "north");
  const wrong = join({ code, data: stray, out: path(folder, "site-stray") });
  await expect(wrong).rejects.toThrow("dim is no folder of a class; the classes are dark, bright.");

  const sites = ["north", "east", "south"];
  const codes = [code, await invite(out, "east"), await invite(out, "south")];
  const reports = await Promise.all(
    sites.map((site, i) =>
      join({
        code: codes[i],
        data: scans(site, i),
        out: path(folder, `site-${site}`),
        backend: i === 2 ? native : undefined,
      }),
    ),
  );
  const { finished } = await serving;
  expect(finished).toEqual({ sites: 3, of: 3 });
  expect(new Set(reports.map(({ model }) => model)).size).toBe(1);
  expect(losses.at(-1)).toBeLessThan(losses[0]);

  // The model takes images as they are.
  const { bytes, described } = exportedModel(out)!;
  expect(described.inputs).toEqual([{ name: "image", type: "float32 [batch, 2, 2, 1], 0 to 255" }]);
  const session = await InferenceSession.create(bytes);
  const shown = [
    [10, 40, 0, 60],
    [200, 240, 220, 190],
    [100, 0, 255, 30],
  ];
  const image = new Tensor("float32", Float32Array.from(shown.flat()), [3, 2, 2, 1]);
  const { probabilities } = await session.run({ image });
  type Layer = { weight: NdArray; bias: NdArray };
  const layers = decodePlain<Layer[]>(readFileSync(path(out, "model.json"), "utf8"));
  const affine = (x: number[], { weight, bias }: Layer) =>
    Array.from(bias.data, (b, j) => x.reduce((sum, v, i) => sum + v * weight.data[i * bias.size + j], b));
  for (const [i, pixels] of shown.entries()) {
    const hidden = affine(
      pixels.map((v) => v / 255),
      layers[0],
    ).map(Math.tanh);
    const [dark, bright] = affine(hidden, layers[1]);
    expect(probabilities.data[2 * i + 1]).toBeCloseTo(1 / (1 + Math.exp(dark - bright)), 5);
  }
});

test("a spec says what sites have, and a pixel is a feature", () => {
  expect(spec.data).toEqual({
    features: ["pixel0", "pixel1", "pixel2", "pixel3"],
    label: "class",
    classes: ["dark", "bright"],
    images: { width: 2, height: 2, channels: 1 },
  });
  // As it is kept and sent.
  expect(checkSpec(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
  const { images: _, features: __, ...none } = spec.data;
  expect(() => checkSpec({ ...spec, data: none })).toThrow("data.features: names the columns to learn from");
});
