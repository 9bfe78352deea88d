// Ends a test run with one line of counts: "N passed, N failed, N skipped".
import type { Reporter, TestModule } from "vitest/node";

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      for (const state of states) if (state !== "pending") count[state]++;
      // A file that cannot be imported, or whose setup fails, has no failed test of its own.
      if (module.state() === "failed" && !states.includes("failed")) count.failed++;
    }
    count.failed += errors.length;
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }
}
