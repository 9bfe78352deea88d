// Which releases of pliant work together in one federation: those of one minor version. Within it, protocol, ledger, folders and
// results stay the same, so each member may be upgraded in the middle of a run, in any order.
import { InputError } from "@pliant/core";
import { version } from "@pliant/learn";
import { z } from "zod";

/** The release of this process. */
export const ownRelease = version;

/** As others name theirs. */
export const release = z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}(-[\w.]{1,32})?$/);

const minorOf = (name: string): string => name.split(".").slice(0, 2).join(".");

/** Refuses another minor version than this process has. */
export function checkRelease(who: string, theirs: string | undefined): void {
  if (theirs !== undefined && minorOf(theirs) === minorOf(ownRelease)) return;
  throw new InputError(
    `${who} ${theirs === undefined ? "an older release than" : `pliant ${theirs}, not a release of`} ${minorOf(ownRelease)}, which this is; all members of a federation use one minor version.`,
  );
}
