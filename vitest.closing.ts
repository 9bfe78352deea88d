// Ends a test run with one plain line that counts it: "N passed, N failed, N skipped".
import type { Reporter, TestModule } from "vitest/node";

export default class Closing implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        if (state !== "pending") count[state]++;
      }
      if (tests.length === 0 && module.state() === "failed") count.failed++;
    }
    count.failed += errors.length;
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }
}
