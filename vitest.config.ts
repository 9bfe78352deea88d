import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["pliant-source"] },
  ssr: { resolve: { conditions: ["pliant-source"] } },
  test: {
    include: [
      "packages/*/test/**/*.test.ts",
      "release/test/*.test.ts",
      "examples/test/*.test.ts",
      "docs/test/*.test.ts",
    ],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What is waited for may be late on a busy machine; a test's own time is the only limit.
    expect: { poll: { timeout: Number(process.env.PLIANT_PATIENCE ?? 100_000) } },
    pool: "forks",
    // A file a processor, each with one thread: what waits for a second thread waits for another file's.
    maxWorkers: "100%",
    env: { OMP_NUM_THREADS: "1" },
    globalSetup: "./vitest.session.ts",
    setupFiles: process.env.PLIANT_ASKED ? ["./vitest.asked.ts"] : [],
    reporters: ["default", "./vitest.closing.ts"],
  },
});
