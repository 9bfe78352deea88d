// The built page: comes with the package; in a checkout it is built where it is missing or older than what it is made of.
import { randomUUID } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PliantError } from "@pliant/core";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
const builtAt = (published: boolean): string => join(home, "dist", published ? "published" : "page");
/** The page trains with the engine and the core themselves, and speaks the words of reports. */
const sources = ["page", "src", "vite.config.ts", "../core/src", "../engine/src", "../train/src"].map(
  (path) => join(home, path),
);

export interface PageOptions {
  /** Told before the page is built, since that takes some seconds. */
  readonly onBuild?: () => void;
  /** The page that has its runs beside it and needs no server. */
  readonly published?: boolean;
}

/** The folder of the page, built first if need be. */
export async function ensurePage({ onBuild, published = false }: PageOptions = {}): Promise<string> {
  const built = builtAt(published);
  const made = await changed(join(built, "index.html"));
  const inCheckout = (await changed(join(home, "page", "index.html"))) > 0;
  if (!inCheckout && made === 0)
    throw new PliantError(
      "the page of the Studio is missing from this installation; install @pliant/studio again.",
    );
  if (inCheckout && made < Math.max(...(await Promise.all(sources.map(newestIn))))) {
    onBuild?.();
    await buildPage({ published });
  }
  return built;
}

/** One script that is no module: browsers load none from a disk. */
const oneScript = {
  output: {
    format: "iife",
    inlineDynamicImports: true,
    entryFileNames: "studio.js",
    assetFileNames: "studio[extname]",
  },
} as const;

/** Built beside and put in place whole, so that a server never sees half a page. */
export async function buildPage({ published = false }: Pick<PageOptions, "published"> = {}): Promise<void> {
  const { build } = await import("vite");
  const built = builtAt(published);
  const beside = `${built}-${randomUUID()}`;
  await build({
    configFile: join(home, "vite.config.ts"),
    root: join(home, "page"),
    logLevel: "warn",
    mode: published ? "published" : "production",
    build: { outDir: beside, emptyOutDir: true, ...(published && { rollupOptions: oneScript }) },
  });
  await putInPlace(beside, built);
}

/** Why a folder cannot be renamed to one that is there already. */
const taken = new Set(["ENOTEMPTY", "EEXIST", "EPERM"]);

/** Puts a folder in the place of another. Where several do so at once, one of theirs is left, whole. */
export async function putInPlace(made: string, place: string): Promise<void> {
  const before = `${made}-before`;
  await rename(place, before).catch(() => {});
  await rename(made, place).catch(async (reason) => {
    await rm(made, { recursive: true });
    if (!taken.has(reason.code)) throw reason;
  });
  await rm(before, { recursive: true, force: true });
}

const changed = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

async function newestIn(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Math.max(await changed(path), ...(await Promise.all(files.map(changed))));
}
