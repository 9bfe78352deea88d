// Where datasets lie: the folder a person names, PLIANT_DATA, or the cache folder of the operating system.
import { homedir } from "node:os";
import { join } from "node:path";

/** Where datasets lie. */
export interface FolderOptions {
  /** The folder of all datasets; each lies in a folder of its own name in it. */
  folder?: string;
}

/** The folder that is given, else PLIANT_DATA, else one in the user's cache. */
export function dataFolder({ folder }: FolderOptions = {}): string {
  return folder ?? (process.env.PLIANT_DATA || cacheFolder());
}

function cacheFolder({ platform, env } = process): string {
  if (platform === "darwin") return join(homedir(), "Library", "Caches", "pliant");
  if (platform === "win32") return join(env.LOCALAPPDATA || join(homedir(), "AppData", "Local"), "pliant");
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pliant");
}
