// Before each test file of the first pass of .ci/run: says which it is to .ci/asked.mjs, here and in the processes it starts.
import { expect, vi } from "vitest";

const { pliantAsked } = globalThis as { pliantAsked?: Set<string> };
// What a file of this process was told, and modules keep, is not for the next to go by.
if (pliantAsked?.has(process.env.PLIANT_ASKED_BY ?? "")) vi.resetModules();
process.env.PLIANT_ASKED_BY = expect.getState().testPath;
