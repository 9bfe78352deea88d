// In which of its forms each piece of a dataset lies in a folder.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { KnownFile, Piece } from "./catalogue.js";

export interface Placed {
  readonly known: KnownFile;
  readonly file: string;
  readonly exists: boolean;
}

/**
 * The form of a piece of which most lies in the folder; of equals, unpacked ones first, for they load faster. Each file of an
 * unpacked form may lie there as it is or gzipped on its own, so that a dataset can be moved in parts.
 */
export function placePiece(folder: string, { download, unpacked }: Piece): Placed[] {
  const forms = [...unpacked, [download]].map((form) =>
    form.map((known) => {
      const plain = join(folder, known.path);
      const packed = `${plain}.gz`;
      const alone = packed !== join(folder, download.path) && !existsSync(plain) && existsSync(packed);
      return { known, file: alone ? packed : plain, exists: alone || existsSync(plain) };
    }),
  );
  const share = (form: Placed[]): number => form.filter(({ exists }) => exists).length / form.length;
  const most = Math.max(...forms.map(share));
  return most === 0 ? forms.at(-1)! : forms.find((form) => share(form) === most)!;
}
