import { readFileSync } from 'node:fs';

/** Prints the plain count of a JSON report of the test runner. */
const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
console.log(
  `${report.numPassedTests} passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`,
);
if (report.numTotalTests === 0 || report.numFailedTests > 0) process.exitCode = 1;
