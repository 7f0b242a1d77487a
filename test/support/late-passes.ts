import type { Reporter, TestCase } from 'vitest/node';

/** Names the tests that passed at their second try only: each is a defect of the test or of the product. */
export default class LatePasses implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) {
      this.#names.push(`${test.module.relativeModuleId}: ${test.fullName}`);
    }
  }

  onTestRunEnd(): void {
    if (this.#names.length === 0) return;
    console.log(`\nPassed at the second try only:\n  ${this.#names.join('\n  ')}\n`);
  }
}
