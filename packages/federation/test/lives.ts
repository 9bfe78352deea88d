// Coordinators and sites as processes of their own.
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ownRelease } from "@pliant/federation";
import { bundled } from "../../cli/test/fixtures/bundled.js";
import { once } from "../../cli/test/fixtures/once.js";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const folder = await once("killed", async (made) => {
  symlinkSync(at("../../../node_modules"), join(made, "node_modules"));
  writeFileSync(join(made, "package.json"), '{ "type": "module" }');
  // As deep as in the package, from where the page for tabs is found; that is built only where it truly lies.
  cpSync(at("../page"), join(made, "page"), { recursive: true });
  symlinkSync(at("../src"), join(made, "src"));
  const programs = { killed: at("processes/killed.mjs"), garbage: at("processes/garbage.ts") };
  await bundled(programs, join(made, "dist", "processes"));
});

/** The program as another release of pliant has it: the same build, by another name. */
export async function builtAs(release: string): Promise<string> {
  const built = join(folder, "dist", "processes");
  const copy = await once(`killed ${release}`, async (made) => {
    symlinkSync(join(folder, "node_modules"), join(made, "node_modules"));
    writeFileSync(join(made, "package.json"), '{ "type": "module" }');
    for (const inside of ["page", "src"]) symlinkSync(join(folder, inside), join(made, inside));
    const place = join(made, "dist", "processes");
    cpSync(built, place, { recursive: true });
    const name = new RegExp(`\\b(version\\d*) = "${ownRelease}"`);
    let changed = 0;
    for (const file of readdirSync(place)) {
      const text = readFileSync(join(place, file), "utf8");
      const other = text.replace(name, `$1 = "${release}"`);
      if (name.test(text)) changed++;
      writeFileSync(join(place, file), other);
    }
    if (changed !== 1) throw new Error(`${changed} files of the build name a release.`);
  });
  return join(copy, "dist", "processes", "killed.js");
}
const script = join(folder, "dist", "processes", "killed.js");
/** The program of a site that sends noise. */
export const garbage = join(folder, "dist", "processes", "garbage.js");
export type Kill = readonly [phase: string, exchange: number];

const children = new Set<ChildProcess>();

/** Of all that were started here. */
export function endLives(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** A process that is started again whenever it was killed, with the next kill in mind; at its end, how often that was. */
export function lives(
  role: "serve" | "join",
  first: object,
  again: object,
  kills: readonly Kill[],
  listening = () => {},
  /** The program of each life. */
  programs: readonly string[] = [],
): Promise<number> {
  const ended = new Promise<number>((resolve, reject) => {
    const start = (life: number) => {
      const options = JSON.stringify(life === 0 ? first : again);
      const child = spawn(
        process.execPath,
        [programs[life] ?? script, role, options, ...(kills[life] ?? []).map(String)],
        {
          stdio: ["ignore", "pipe", "pipe"],
        },
      );
      children.add(child);
      let said = "";
      child.stdout.on("data", (data) => String(data).includes("Listening") && listening());
      child.stderr.on("data", (data) => {
        said += data;
      });
      child.on("exit", (code, signal) => {
        children.delete(child);
        if (signal === "SIGKILL" && life < kills.length) start(life + 1);
        else if (code === 0) resolve(life);
        else reject(new Error(`${role} ended with ${code ?? signal}: ${said}`));
      });
    };
    start(0);
  });
  // Whoever waits hears of it; the end of a test kills without waiting.
  ended.catch(() => {});
  return ended;
}
