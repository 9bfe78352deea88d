// The parts of a run's page that other pages use take data as props: nothing that they import asks a server or needs Node.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const page = fileURLToPath(new URL("../page/src/", import.meta.url));

/** The files that a file imports, by whatever way, itself among them; packages by their names. */
function importsOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, , name] of text.matchAll(/^(import|export)(?! type)[^;]*?from "([^"]+)"/gm)) {
    const path = join(dirname(file), name);
    const own = [path, path.replace(/\.js$/, ".ts")].find((one) => name.startsWith(".") && existsSync(one));
    if (own) importsOf(own, found);
    else found.add(name);
  }
  return found;
}

test.each([
  "run/VerdictBar.svelte",
  "parts/RequirementCard.svelte",
  "parts/Certificate.svelte",
  "model/ModelTab.svelte",
  "words/overview.ts",
])("%s asks no server", (part) => {
  const all = [...importsOf(join(page, part))];
  expect(all.length).toBeGreaterThan(1);
  const barred = all.filter((one) => /\/lib\/(client|ask|live\.svelte)\.ts$|^node:|^hono/.test(one));
  expect(barred).toEqual([]);
});
