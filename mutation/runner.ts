// Runs the tests of a group in one process, for Stryker: a test file is bundled once with the instrumented sources of its own package
// and imported anew for every mutant, so that no mutant leaves anything behind in them. Vitest would start a worker and load every
// module again, seconds where most mutants are seen in milliseconds. The other packages are those that were built.
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { declareFactoryPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { type File, startTests, type Task, type Test, type VitestRunner } from "@vitest/runner";
import { build, type Plugin } from "esbuild";
import { groupNamed } from "./groups.js";

/** What instrumented code reads and writes. */
const instrumented: {
  activeMutant?: string;
  currentTestId?: string;
  hitCount?: number;
  hitLimit?: number;
  mutantCoverage?: never;
} = {};
(globalThis as Record<string, unknown>).__stryker__ = instrumented;

const testsOf = (task: Task): Test[] => (task.type === "test" ? [task] : task.tasks.flatMap(testsOf));

/** A package's own name leads to its sources; what stands beside a source is found from where the source was. */
const sourcesOf = (home: string): Plugin => ({
  name: "sources",
  setup({ onResolve, onLoad }) {
    const { name, exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
    onResolve({ filter: /^[^./]/ }, ({ path }) => {
      const source = path.startsWith(name) && exports[`.${path.slice(name.length)}`]?.["pliant-source"];
      return source ? { path: join(home, source) } : { path, external: true };
    });
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll(
        "import.meta.url",
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: "ts",
    }));
  },
});

interface Runs {
  readonly chosen?: ReadonlySet<string>;
  readonly untilOneFails?: boolean;
}

class QuickRunner implements TestRunner {
  private readonly home: string;
  /** Named after this process, because others build at the same time. */
  private readonly bundled: string;
  private readonly tests: readonly string[];
  private readonly slow?: RegExp;
  private imports = 0;

  constructor() {
    const { home, tests, slow } = groupNamed(process.env.PLIANT_MUTATE);
    this.home = resolve("packages", home);
    this.bundled = join(this.home, `bundled-${process.pid}`);
    this.tests = tests;
    this.slow = slow;
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    await build({
      entryPoints: this.tests.map((test) => join(this.home, "test", `${test}.test.ts`)),
      outdir: this.bundled,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      plugins: [sourcesOf(this.home)],
    });
  }

  async dryRun({ files: _ }: DryRunOptions): Promise<DryRunResult> {
    instrumented.activeMutant = undefined;
    const tests = await this.run();
    return { status: DryRunStatus.Complete, tests, mutantCoverage: instrumented.mutantCoverage };
  }

  async mutantRun({ activeMutant, hitLimit, testFilter }: MutantRunOptions): Promise<MutantRunResult> {
    Object.assign(instrumented, { activeMutant: activeMutant.id, hitLimit, hitCount: 0 });
    const tests = await this.run({ chosen: testFilter && new Set(testFilter), untilOneFails: true });
    return toMutantRunResult(
      determineHitLimitReached(instrumented.hitCount, hitLimit) ?? { status: DryRunStatus.Complete, tests },
    );
  }

  /** All tests, or those chosen. */
  private async run({ chosen, untilOneFails = false }: Runs = {}): Promise<TestResult[]> {
    const { slow } = this;
    const results: TestResult[] = [];
    for (const name of this.tests) {
      const path = join(this.home, "test", `${name}.test.ts`);
      if (chosen && ![...chosen].some((id) => id.startsWith(`${name}: `))) continue;
      const idOf = ({ fullTestName }: Test): string => `${name}: ${fullTestName}`;
      let failed = false;
      const runner: VitestRunner = {
        config: {
          root: this.home,
          setupFiles: [],
          name: undefined,
          passWithNoTests: false,
          testNamePattern: undefined,
          allowOnly: false,
          sequence: { seed: 1, hooks: "stack", setupFiles: "list" },
          maxConcurrency: 1,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          retry: 0,
          includeTaskLocation: false,
          diffOptions: undefined,
          tags: [],
          tagsFilter: undefined,
          strictTags: false,
        } as never,
        importFile: () =>
          import(`${pathToFileURL(join(this.bundled, `${name}.test.mjs`))}?${this.imports++}`),
        onBeforeRunTask(test) {
          if (failed || slow?.test(idOf(test)) || (chosen && !chosen.has(idOf(test)))) test.mode = "skip";
          instrumented.currentTestId = idOf(test);
        },
        onAfterRunTask(test) {
          instrumented.currentTestId = undefined;
          failed ||= untilOneFails && test.result?.state === "fail";
        },
      };
      const [file] = await startTests([path], runner);
      results.push(...resultsOf(file, path, idOf));
      if (untilOneFails && results.some(({ status }) => status === TestStatus.Failed)) break;
    }
    return results;
  }
}

/** A file that cannot be read is a test that failed. */
function resultsOf(file: File, fileName: string, idOf: (test: Test) => string): TestResult[] {
  const of = (id: string, { result }: Task): TestResult => {
    const base = { id, name: id, fileName, timeSpentMs: result?.duration ?? 0 };
    if (result?.state === "fail")
      return { ...base, status: TestStatus.Failed, failureMessage: result.errors?.[0]?.message ?? "no end" };
    return { ...base, status: result?.state === "pass" ? TestStatus.Success : TestStatus.Skipped };
  };
  const ran = testsOf(file).map((test) => of(idOf(test), test));
  const unread = file.result?.state === "fail" && !ran.some(({ status }) => status === TestStatus.Failed);
  return unread ? [...ran, of(basename(fileName), file)] : ran;
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, "quick", () => new QuickRunner())];
