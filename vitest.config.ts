import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Packages whose test files leave nothing behind and hear no signals: they share a process, which need not load everything for each. */
const together = ["core", "data", "federated", "learn", "train"];
/** And such files of other packages: without a plugin, a browser or another process, and measuring nothing of their own. */
const alsoTogether: Readonly<Record<string, string>> = {
  cli:
    "bench-truth|evaluate|hard-names|manners|train|train-bad|train-dirty|train-export|train-models|train-requirements|" +
    "train-spec|train-strict|train-svm",
  engine:
    "arrays|axes|compile|custom|distributions|edges|emission|export|export-refusals|fuzz|gpu-memory|gradient|hoist|jacobian|" +
    "lanes|loop|mistakes|names|operations|phases|programs|random|simplify|sort|unfold|unstack|vmap|vmap-onnx",
  federation: "attacks|equality|images|joining|primitives|privacy|private-records|secure-sums|sums-by-hand",
  lab:
    "federated-augmentation|federated-claims|federated-metrics|federated-paper|federated-recipes|federated-tables|" +
    "invariance-items|invariance-paper|invariance-tables|plot|propositions|statistics|theory|theory-checks",
  studio:
    "answers|columns|compare|deleting|differences|downsample|figure|following|format|link|live|many|mutate|notes|page|" +
    "page-build|playground|security|series|server|together|trash",
};

/** Files of which nothing is left without a browser. Where the one that is named is not there they share a process, and what they load. */
const pages = [
  "packages/studio/test/@(*-page|*-pages|pages|publish|same-words).test.ts",
  "packages/engine/test/page.test.ts",
  "packages/federation/test/tab.test.ts",
  "docs/test/@(read|try).test.ts",
];
const { CHROMIUM: browser } = process.env;

const filesOf = (name: string, files: string): string => `packages/${name}/test/**/@(${files}).test.ts`;

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
          exclude: [...pages, ...Object.entries(alsoTogether).map(([name, files]) => filesOf(name, files))],
        },
      },
      {
        extends: true,
        test: { name: "pages", include: pages, isolate: browser === undefined || existsSync(browser) },
      },
      ...[...together.map((name) => [name, "*"]), ...Object.entries(alsoTogether)].map(([name, files]) => ({
        extends: true as const,
        test: { name, include: [filesOf(name, files)], isolate: false },
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
    // Sessions that tests make by themselves send nothing either.
    env: { OMP_NUM_THREADS: "1", ORT_DISABLE_TELEMETRY: "1" },
    // Sources as all projects import them, for who runs the tests more than once in a folder where nothing changes.
    experimental: process.env.PLIANT_IMPORTED
      ? { fsModuleCache: true, fsModuleCachePath: process.env.PLIANT_IMPORTED }
      : {},
    globalSetup: "./vitest.session.ts",
    setupFiles: process.env.PLIANT_ASKED ? ["./vitest.asked.ts"] : [],
    reporters: ["default", "./vitest.closing.ts"],
  },
});
