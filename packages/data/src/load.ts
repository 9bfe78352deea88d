// A dataset by name: from its files where they lie, or generated.
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { InputError } from "@pliant/core";
import { type KnownDataset, knownDataset } from "./catalogue.js";
import type { Dataset } from "./dataset.js";
import { dataFolder, type FolderOptions } from "./folder.js";
import { placePiece } from "./pieces.js";
import { strokes } from "./strokes/strokes.js";

/** Where the files lie, or which seed a generated set has. */
export interface LoadOptions extends FolderOptions {
  /** For generated sets. */
  seed?: number;
}

/** mnist, fashion-mnist, cifar-10 or strokes. */
export async function loadDataset(name: string, { folder, seed }: LoadOptions = {}): Promise<Dataset> {
  if (name === "strokes") return strokes({ seed });
  const known = knownDataset(name);
  const place = join(dataFolder({ folder }), name);
  const pieces = known.pieces.map((piece) => placePiece(place, piece));
  const absent = pieces.flat().find(({ exists }) => !exists);
  if (absent !== undefined) throw absentError(known, place, absent.known.path);
  return { name, ...(await known.read(pieces.map((piece) => piece.map(({ file }) => file)))) };
}

function absentError({ name, pieces }: KnownDataset, place: string, path: string): InputError {
  const paths = pieces
    .flatMap(({ download, unpacked }) => [download, ...unpacked.flat()])
    .map((file) => file.path);
  const packed = paths.map((each) => join(place, `${each}.xz`)).filter((file) => existsSync(file));
  return new InputError(
    packed.length > 0
      ? `${name} lies in ${place} packed as ${basename(packed[0])}, which cannot be read as it is; unpack it with xz -d ${join(dirname(packed[0]), "*.xz")} first.`
      : `${name} is not in ${place}: ${path} is missing; run "pliant data fetch ${name}", or take strokes, which needs no files.`,
  );
}
