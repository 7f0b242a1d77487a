import { readFileSync } from 'node:fs';

/** Prints how many tests passed, failed and were skipped, from JSON reports of the test runner. */
const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')));
const sum = (figure: string): number =>
  reports.reduce((total, report) => total + report[figure], 0);
console.log(
  `${sum('numPassedTests')} passed, ${sum('numFailedTests')} failed, ${sum('numPendingTests')} skipped`,
);
const isEmpty = reports.some((report) => report.numTotalTests === 0);
if (reports.length === 0 || isEmpty || sum('numFailedTests') > 0) process.exitCode = 1;
