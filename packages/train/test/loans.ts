// The example of loans in a folder of its own, to train in.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loansCsv, loansSpec, type RunOptions } from "@pliant/train";

/** Its folder, the spec in it, and the options of a run there. */
export function loansFolder(name: string, { rows, device }: { rows: number; device: RunOptions["device"] }) {
  const folder = mkdtempSync(join(tmpdir(), `pliant-${name}-`));
  const spec = join(folder, "spec.yaml");
  // Scores pressed by prices at a fixed threshold, which these tests are about; decisions.test.ts is about learnt ones.
  writeFileSync(spec, `${loansSpec}decision: { threshold: 0.5 }\n`);
  writeFileSync(join(folder, "loans.csv"), loansCsv({ rows }));
  const options = (run: string): RunOptions => ({
    name: run,
    out: join(folder, run),
    device,
    insist: false,
    progress: { show: () => {}, end: () => {} },
  });
  return { folder, spec, options };
}
