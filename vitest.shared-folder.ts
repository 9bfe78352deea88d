// Creates a folder for fixtures that several test files share, and deletes it when the test run ends.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function sharedFolder(): () => void {
  // Set it to keep the fixtures between test runs.
  if (process.env.PLIANT_TEST_SESSION) return () => {};
  const folder = mkdtempSync(join(tmpdir(), "pliant-tests-"));
  process.env.PLIANT_TEST_SESSION = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
