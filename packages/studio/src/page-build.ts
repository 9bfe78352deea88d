// The built page: comes with the package; in a checkout it is built where it is missing or older than what it is made of.
import { readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PliantError } from "pliant";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
const built = join(home, "dist", "page");
/** The page trains with the engine and the core themselves. */
const sources = ["page", "src", "vite.config.ts", "../core/src", "../engine/src"].map((path) =>
  join(home, path),
);

/** The folder of the page, built first if need be; `onBuild` is told before, since it takes some seconds. */
export async function ensurePage({ onBuild }: { onBuild?: () => void } = {}): Promise<string> {
  const made = await changed(join(built, "index.html"));
  const inCheckout = (await changed(join(home, "page", "index.html"))) > 0;
  if (!inCheckout && made === 0)
    throw new PliantError(
      "the page of the Studio is missing from this installation; install @pliant/studio again.",
    );
  if (inCheckout && made < Math.max(...(await Promise.all(sources.map(newestIn))))) {
    onBuild?.();
    await buildPage();
  }
  return built;
}

/** Built beside and put in place whole, so that a server never sees half a page. */
export async function buildPage(): Promise<void> {
  const { build } = await import("vite");
  const beside = `${built}-${process.pid}`;
  await build({
    configFile: join(home, "vite.config.ts"),
    root: join(home, "page"),
    logLevel: "warn",
    build: { outDir: beside, emptyOutDir: true },
  });
  const before = `${beside}-before`;
  await rename(built, before).catch(() => {});
  await rename(beside, built);
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
