import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Packages whose test files leave nothing behind and hear no signals: they share a process, which need not load everything for each. */
const together = ["core", "data", "federated", "learn", "train"];

export default defineConfig({
  resolve: { conditions: ["pliant-source"] },
  ssr: { resolve: { conditions: ["pliant-source"] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "apart",
          include: [
            `packages/!(${together.join("|")})/test/**/*.test.ts`,
            "release/test/*.test.ts",
            "examples/test/*.test.ts",
            "docs/test/*.test.ts",
          ],
        },
      },
      ...together.map((name) => ({
        extends: true as const,
        test: { name, include: [`packages/${name}/test/**/*.test.ts`], isolate: false },
      })),
    ],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What is waited for may be late on a busy machine; a test's own time is the only limit.
    expect: { poll: { timeout: Number(process.env.PLIANT_PATIENCE ?? 100_000) } },
    pool: "forks",
    // A file a processor, each with one thread: what waits for a second thread waits for another file's. And one file more,
    // since those with a browser or with other processes wait for them.
    maxWorkers: availableParallelism() + 1,
    env: { OMP_NUM_THREADS: "1" },
    globalSetup: "./vitest.session.ts",
    setupFiles: process.env.PLIANT_ASKED ? ["./vitest.asked.ts"] : [],
    reporters: ["default", "./vitest.closing.ts"],
  },
});
