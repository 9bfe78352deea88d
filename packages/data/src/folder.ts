// Where datasets lie: the folder a person names, PLIANT_DATA, or the cache folder of the operating system.
import { homedir } from "node:os";
import { join } from "node:path";

export interface FolderOptions {
  /** The folder of all datasets; each lies in a folder of its own name in it. */
  folder?: string;
}

export function dataFolder({ folder }: FolderOptions = {}): string {
  return folder ?? (process.env.PLIANT_DATA || cacheFolder());
}

function cacheFolder({ platform, env } = process): string {
  if (platform === "darwin") return join(homedir(), "Library", "Caches", "pliant");
  if (platform === "win32") return join(env.LOCALAPPDATA || join(homedir(), "AppData", "Local"), "pliant");
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pliant");
}
