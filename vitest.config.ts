import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Packages whose test files leave no state behind and handle no signals: they share one process, so modules load once. */
const sharedPackages = ["core", "data", "federated", "learn", "train"];
/** Files of other packages that share a process too: they use no plugin, browser or child process, and measure nothing. */
const sharedFiles: Readonly<Record<string, string>> = {
  cli:
    "bench-truth|card|evaluate|hard-names|manners|progress|publish|queue-jobs|train|train-bad|train-dirty|train-export|" +
    "train-kinks|train-models|train-requirements|train-share|train-spec|train-strict|train-svm|train-units|train-validation",
  docs: "chart|checks|examples|language|readmes",
  engine:
    "arrays|axes|compile|custom|distributions|edges|emission|export|export-refusals|fuzz|gpu-memory|gradient|hoist|" +
    "infinite-slopes|jacobian|lanes|log-sigmoid|loop|mistakes|names|operations|phases|programs|random|simplify|sort|unfold|unstack|vmap|vmap-onnx",
  federation:
    "attacks|believable|disclosure|draw|drift|equality|final-model|groups|images|inspection|joining|primitives|privacy|" +
    "private-records|secure-sums|stories|sums-by-hand|suspects",
  lab:
    "federated-augmentation|federated-claims|federated-metrics|federated-paper|federated-recipes|federated-tables|" +
    "invariance-items|invariance-paper|invariance-tables|plot|propositions|statistics|theory|theory-checks",
  studio:
    "answers|brushes|certificate|clients|columns|compare|decided|deleting|differences|downsample|figure|following|format|link|live|" +
    "many|mutate|notes|page|page-build|playground|reservations|reusable|security|series|server|together|trash|unreadable",
};

/** Files that need a browser. If CHROMIUM names none, all their tests are skipped, in one shared process. */
const browserFiles = [
  "packages/studio/test/@(*-page|*-pages|pages|publish|same-words).test.ts",
  "packages/engine/test/page.test.ts",
  "packages/federation/test/tab.test.ts",
  "docs/test/@(read|try).test.ts",
];
const { CHROMIUM: browser } = process.env;

const filesOf = (name: string, files: string): string =>
  name === "docs" ? `docs/test/@(${files}).test.ts` : `packages/${name}/test/**/@(${files}).test.ts`;

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
            `packages/!(${sharedPackages.join("|")})/test/**/*.test.ts`,
            "release/test/*.test.ts",
            "examples/test/*.test.ts",
            "docs/test/*.test.ts",
          ],
          exclude: [
            ...browserFiles,
            ...Object.entries(sharedFiles).map(([name, files]) => filesOf(name, files)),
          ],
        },
      },
      {
        extends: true,
        test: { name: "pages", include: browserFiles, isolate: browser === undefined || existsSync(browser) },
      },
      ...[...sharedPackages.map((name) => [name, "*"]), ...Object.entries(sharedFiles)].map(
        ([name, files]) => ({
          extends: true as const,
          test: { name, include: [filesOf(name, files)], isolate: false },
        }),
      ),
    ],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A polled condition may come late on a busy machine; only the test's own timeout limits it.
    expect: { poll: { timeout: Number(process.env.PLIANT_PATIENCE ?? 100_000) } },
    pool: "forks",
    // One file per processor, each with one thread, and one more, because files with a browser or child processes wait for them.
    maxWorkers: availableParallelism() + 1,
    // ONNX Runtime sessions that tests create directly send no telemetry either.
    env: { OMP_NUM_THREADS: "1", ORT_DISABLE_TELEMETRY: "1" },
    // .ci/run keeps the transformed sources between its two passes.
    experimental: process.env.PLIANT_IMPORTED
      ? { fsModuleCache: true, fsModuleCachePath: process.env.PLIANT_IMPORTED }
      : {},
    globalSetup: "./vitest.shared-folder.ts",
    setupFiles: process.env.PLIANT_OPTIONAL_LOG ? ["./vitest.optional-parts.ts"] : [],
    reporters: ["default", "./vitest.count-reporter.ts"],
  },
});
