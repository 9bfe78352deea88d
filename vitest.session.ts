// A folder that lives as long as a run of the tests, for what several files of them need and is made once.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function session(): () => void {
  // Whoever runs the tests many times over may keep one for all of them.
  if (process.env.PLIANT_TEST_SESSION) return () => {};
  const folder = mkdtempSync(join(tmpdir(), "pliant-tests-"));
  process.env.PLIANT_TEST_SESSION = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
