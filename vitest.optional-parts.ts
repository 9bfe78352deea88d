// Setup of each test file in the first pass of .ci/run: tells .ci/optional-parts.mjs, here and in child processes, which file runs.
import { expect, vi } from "vitest";

const { pliantOptionalLog } = globalThis as { pliantOptionalLog?: Set<string> };
// A file that asked for an optional part may have cached the answer in a module; the next file in this process must not reuse it.
if (pliantOptionalLog?.has(process.env.PLIANT_TEST_FILE ?? "")) vi.resetModules();
process.env.PLIANT_TEST_FILE = expect.getState().testPath;
