// The datasets there are, and which of them lie in a folder.
import { join } from "node:path";
import { catalogue } from "./catalogue.js";
import { dataFolder, type FolderOptions } from "./folder.js";
import { placePiece } from "./pieces.js";

/** A dataset, and whether it is on this machine. */
export interface ListedDataset {
  readonly name: string;
  readonly about: string;
  /** Bytes to download. */
  readonly bytes: number;
  readonly state: "present" | "incomplete" | "absent" | "generated";
}

/** Every dataset that has a name here, and whether it is on this machine. */
export function listDatasets(options: FolderOptions = {}): ListedDataset[] {
  const files = catalogue.map(({ name, about, pieces }): ListedDataset => {
    const place = join(dataFolder(options), name);
    const there = pieces.flatMap((piece) => placePiece(place, piece)).map(({ exists }) => exists);
    const state = there.every(Boolean) ? "present" : there.some(Boolean) ? "incomplete" : "absent";
    return { name, about, bytes: pieces.reduce((sum, { download }) => sum + download.bytes, 0), state };
  });
  const about = "handwritten-like digits, 10,000 + 2,000 grey images of 28×28, made here from a seed";
  return [...files, { name: "strokes", about, bytes: 0, state: "generated" }];
}
