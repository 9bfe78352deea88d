// A disk that is really full: a small one of its own, filled in the middle of a run, and emptied again.
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { digest, encodeModel, invite, join, serve } from "@pliant/federation";
import { afterAll, expect, test } from "vitest";
import { csvOf, simulated, specOf, tablesOf } from "./problem.js";

const folder = mkdtempSync(path(tmpdir(), "pliant-full-"));
const small = path(folder, "small");
mkdirSync(small);
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", small]).status === 0;
if (!mounted)
  console.log("Skipped: a small disk cannot be mounted here; that takes root and a system that allows it.");
afterAll(() => {
  if (mounted) spawnSync("umount", ["-l", small]);
  rmSync(folder, { recursive: true });
});

const ballast = path(small, "ballast");
function fill(): void {
  const file = openSync(ballast, "w");
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch (error) {
    expect((error as { code: string }).code).toBe("ENOSPC");
  } finally {
    closeSync(file);
  }
}

test.skipIf(!mounted)(
  "full in the middle of a run, it is waited for at coordinator and site, said, and nothing is lost",
  async () => {
    const spec = specOf({ training: { rounds: 3, communicationRounds: 2 } });
    const tables = tablesOf(4);
    const out = path(small, "coordinator");
    const said: string[] = [];
    const say = (what: string) => {
      said.push(what);
      if (what.startsWith("The disk is full")) setTimeout(() => rmSync(ballast, { force: true }), 300);
    };
    let serving: ReturnType<typeof serve> | undefined;
    await new Promise<void>((listening, failed) => {
      serving = serve({
        spec,
        out,
        patience: { training: 100_000, answer: 100_000, again: 200 },
        onListening: () => listening(),
        onCommitted: ({ exchange }) => exchange === 1 && fill(),
        say,
      });
      serving.catch(failed);
    });
    const joining = [];
    for (const [i, table] of tables.entries()) {
      const data = path(folder, `${i}.csv`);
      writeFileSync(data, csvOf(table, spec));
      const code = await invite(out, `site-${i}`);
      joining.push(join({ code, data, out: path(small, `site-${i}`), say }));
    }
    const [report, ...sites] = await Promise.all([serving!, ...joining]);
    const { state } = await simulated(spec, tables);
    expect(said).toContain("The disk is full; waiting until there is room.");
    expect(report.model).toBe(digest(encodeModel({ update: state.params, shared: state.solver.shared })));
    expect(sites.map(({ price }) => price)).toEqual(Array.from(state.prices.data));
    expect(report.counted).toEqual({ "site-0": 6, "site-1": 6, "site-2": 6, "site-3": 6 });
  },
);
