// Ends a test run with one plain line that counts it: "N passed, N failed, N skipped".
import type { Reporter, TestModule } from "vitest/node";

export default class Closing implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      for (const state of states) if (state !== "pending") count[state]++;
      // A file that cannot be read, or whose preparation fails, has no test that failed.
      if (module.state() === "failed" && !states.includes("failed")) count.failed++;
    }
    count.failed += errors.length;
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }
}
