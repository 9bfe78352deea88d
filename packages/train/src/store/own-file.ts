// What a file of one's own exports by default.
import { InputError, unreadable } from "@pliant/core";
import { importFile, NotHere, sha256 as sha256Of } from "@pliant/platform";

/** What a file of one's own exports by default, and the checksum of its text. */
export interface OwnFile {
  readonly own: unknown;
  readonly sha256: string;
}

/** `wrong` makes a mistake of a sentence. */
export async function ownFile(
  path: string,
  wrong: (sentence: string) => InputError = (sentence) => new InputError(sentence),
): Promise<OwnFile> {
  const sha256 = await sha256Of(path).catch((reason: unknown) => {
    throw wrong(unreadable(path, reason).message);
  });
  try {
    return { own: (await importFile(path, sha256)).default, sha256 };
  } catch (reason) {
    if (reason instanceof NotHere) throw wrong(reason.message);
    throw wrong(`${path} cannot be used: ${(reason as Error).message.split("\n")[0]}`);
  }
}
