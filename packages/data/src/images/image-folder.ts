// A folder of images, with a folder for each class, as people keep them: scans/healthy/1.png, scans/ill/2.png.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "@pliant/core";
import { decodePng } from "./png.js";

/** The form of the images of a folder, and its classes. */
export interface ImageFolderOptions {
  readonly width: number;
  readonly height: number;
  /** 1 grey, 3 colour. */
  readonly channels: number;
  /** The names of the folders, in the order of their labels; a class may have no folder, and a folder that is no class is refused. */
  readonly classes: readonly string[];
}

/** The images of a folder as rows of numbers, with their labels. */
export interface Images {
  /** Between 0 and 1: [images, height·width·channels], row by row, the channels of a pixel side by side. */
  readonly pixels: Float32Array;
  readonly labels: Int32Array;
}

/** In the order of the classes, then of the files' names. */
export function readImageFolder(folder: string, options: ImageFolderOptions): Images {
  const { width, height, channels, classes } = options;
  const visible = (path: string) =>
    readdirSync(path, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith("."))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  const inside = visible(folder);
  const stray = inside.find((entry) => !entry.isDirectory() || !classes.includes(entry.name));
  if (stray)
    throw new InputError(
      `${join(folder, stray.name)} is no folder of a class; the classes are ${classes.join(", ")}.`,
    );
  const files = classes.flatMap((name, label) =>
    inside.some((entry) => entry.name === name)
      ? visible(join(folder, name)).map((file) => ({ path: join(folder, name, file.name), label }))
      : [],
  );
  if (files.length === 0) throw new InputError(`${folder} has no images.`);
  const size = width * height * channels;
  const pixels = new Float32Array(files.length * size);
  for (const [i, { path }] of files.entries()) {
    if (!/\.png$/i.test(path)) throw new InputError(`${path}: images are read as PNG; save it as such.`);
    const image = decodePng(readFileSync(path), path);
    if (image.width !== width || image.height !== height || image.channels !== channels)
      throw new InputError(
        `${path} has ${image.width} × ${image.height} pixels in ${colours(image.channels)}, and ${width} × ${height} in ${colours(channels)} were expected.`,
      );
    for (let k = 0; k < size; k++) pixels[i * size + k] = image.pixels[k] / 255;
  }
  return { pixels, labels: Int32Array.from(files, ({ label }) => label) };
}

const colours = (channels: number): string => (channels === 1 ? "grey" : "colour");
