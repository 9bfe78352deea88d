// In which of its forms each piece of a dataset lies in a folder.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { KnownFile, Piece } from "./catalogue.js";

export interface Placed {
  readonly known: KnownFile;
  readonly file: string;
  readonly exists: boolean;
}

/** The form of a piece of which most lies in the folder; of equals, unpacked ones first, for they load faster. */
export function placePiece(folder: string, { download, unpacked }: Piece): Placed[] {
  const forms = [...unpacked, [download]].map((form) =>
    form.map((known) => {
      const file = join(folder, known.path);
      return { known, file, exists: existsSync(file) };
    }),
  );
  const share = (form: Placed[]): number => form.filter(({ exists }) => exists).length / form.length;
  const most = Math.max(...forms.map(share));
  return most === 0 ? forms.at(-1)! : forms.find((form) => share(form) === most)!;
}
