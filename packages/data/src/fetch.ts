// A dataset's files from where they are published into its folder; those that are there and right are left as they are.
import { join } from "node:path";
import { InputError, NetworkError } from "@pliant/core";
import { knownDataset, type Piece } from "./catalogue.js";
import { isPublished, sumMistake, sumOf } from "./checksum.js";
import { type DownloadOptions, download, isSourceError } from "./download.js";
import { dataFolder, type FolderOptions } from "./folder.js";
import { placePiece } from "./pieces.js";

/** How much of a file is there, in bytes. */
export interface FetchProgress {
  readonly path: string;
  readonly received: number;
  readonly bytes: number;
}

/** The sources and the folder of files, and the callbacks. */
export interface FetchOptions extends FolderOptions, Pick<DownloadOptions, "timeout" | "pause"> {
  onProgress?: (progress: FetchProgress) => void;
  /** Addresses of folders with the files, instead of the published ones. */
  sources?: readonly string[];
}

/** The files of a dataset, and which of them were downloaded. */
export interface Fetched {
  readonly name: string;
  readonly folder: string;
  /** `downloaded` is false of a file that was there already. */
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly downloaded: boolean }[];
}

/** Downloads the files of a dataset that are not there, and refuses any whose checksum is not the published one. */
export async function fetchDataset(name: string, options: FetchOptions = {}): Promise<Fetched> {
  const { folder, onProgress, sources, timeout, pause } = options;
  const place = join(dataFolder({ folder }), name);
  if (name === "strokes") return { name, folder: place, files: [] };
  const known = knownDataset(name);
  const files: Fetched["files"][number][] = [];
  for (const piece of known.pieces) {
    const there = await filesOf(place, piece);
    if (there !== undefined) {
      files.push(...there);
      continue;
    }
    const { path, bytes } = piece.download;
    try {
      await download(piece.download, join(place, path), {
        urls: (sources ?? known.sources).map((source) => new URL(path, source).href),
        onProgress: (received) => onProgress?.({ path, received, bytes }),
        timeout,
        pause,
      });
    } catch (reason) {
      if (!isSourceError(reason)) throw reason;
      throw new NetworkError(
        `${name} could not be downloaded: ${reason.message}. Put the files into ${place} yourself, or use --dataset strokes.`,
      );
    }
    files.push({ path, bytes, downloaded: true });
  }
  return { name, folder: place, files };
}

/** The files of a piece that is there and right; undefined where it has to be downloaded. */
async function filesOf(place: string, piece: Piece): Promise<Fetched["files"] | undefined> {
  const placed = placePiece(place, piece);
  if (placed.some(({ exists }) => !exists)) return undefined;
  for (const { file, known } of placed) {
    const sum = await sumOf(file, known);
    if (isPublished(sum, known)) continue;
    if (known === piece.download) return undefined;
    // It would be read instead of a download, and may be somebody's own: not ours to replace.
    throw new InputError(
      `${file} is not the published file: ${sumMistake(sum, known)}; remove it and fetch again.`,
    );
  }
  return placed.map(({ known: { path, bytes } }) => ({ path, bytes, downloaded: false }));
}
