// Tests that are run again and again over a copy of the code that changes, by one runner that stays: to start one takes longer than most of
// the tests.
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { createVitest, type TestModule, type Vitest } from "vitest/node";

interface Asked {
  /** The file that was changed since. */
  readonly changed: string;
  /** Only tests whose names match. */
  readonly named?: string;
  /** Milliseconds until they are taken to have no end. */
  readonly patience: number;
}

export interface Tests {
  run(
    files: readonly string[],
    asked: Asked,
  ): Promise<{ ran: boolean; failed?: { readonly by: string; readonly why: string } }>;
  /** It is as it was. */
  forget(file: string): void;
  close(): Promise<void>;
}

export async function testsIn(folder: string): Promise<Tests> {
  const open = (): Promise<Vitest> =>
    createVitest("test", { root: folder, watch: false, maxWorkers: 1, bail: 1, reporters: [{}] });
  let runner = await open();
  return {
    async run(files, { changed, named, patience }) {
      runner.invalidateFile(changed);
      if (named) runner.setGlobalTestNamePattern(named);
      else runner.resetGlobalTestNamePattern();
      let ran = false;
      // One file after another: what the runner remembers of others is of other faults.
      for (const file of files) {
        const asked = await runner.globTestSpecifications([file]);
        const over = new AbortController();
        const ended = await Promise.race([
          runner.runTestSpecifications(asked),
          setTimeout(patience, undefined, { signal: over.signal }).catch(() => undefined),
        ]);
        over.abort();
        if (!ended) {
          // What hangs goes with its runner.
          runner.close().catch(() => {});
          runner = await open();
          return { ran: true, failed: { by: file.slice(folder.length + 1), why: "no end" } };
        }
        const own = ended.testModules.filter(({ moduleId }) => moduleId === file);
        const found = read(own, ended.unhandledErrors);
        if (found.failed) return found;
        ran ||= found.ran;
      }
      return { ran };
    },
    forget: (file) => runner.invalidateFile(file),
    close: () => runner.close(),
  };
}

const firstLine = (error: unknown): string =>
  stripVTControlCharacters(String((error as Error)?.message ?? error))
    .split("\n")[0]
    .slice(0, 160);

function read(modules: readonly TestModule[], errors: readonly unknown[]) {
  const all = modules.flatMap((module) => [...module.children.allTests()]);
  const ran = all.some((test) => ["passed", "failed"].includes(test.result().state));
  for (const test of all) {
    const { state, errors: own } = test.result();
    if (state === "failed") return { ran, failed: { by: test.fullName, why: firstLine(own?.[0]) } };
  }
  for (const module of modules)
    if (module.state() === "failed")
      return { ran: true, failed: { by: module.relativeModuleId, why: firstLine(module.errors()[0]) } };
  return { ran, ...(errors.length > 0 && { failed: { by: "outside of tests", why: firstLine(errors[0]) } }) };
}
