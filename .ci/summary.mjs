// Sums up JSON reports of vitest: `node .ci/summary.mjs fast.json slow.json`. The last line is the one that counts.
import { readFileSync } from 'node:fs';

const files = process.argv.slice(2).flatMap((report) => {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return testResults.map(({ name, status, startTime, endTime, assertionResults: tests }) => ({
    name: name.replace(`${process.cwd()}/`, ''),
    seconds: (endTime - startTime) / 1_000,
    // A file that can't be loaded has no tests that failed.
    isBroken: status === 'failed' && tests.every((test) => test.status !== 'failed'),
    tests,
  }));
});
const tests = files.flatMap((file) => file.tests);
const numberOf = (status) => tests.filter((test) => test.status === status).length;
const failed = numberOf('failed') + files.filter((file) => file.isBroken).length;
const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, 5);
const longWaits = tests.reduce((sum, { meta }) => sum + (meta.longWaits ?? 0), 0);

process.stdout.write(`The five slowest files:
${slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${name}`).join('\n')}
${longWaits} waits lasted over five seconds.
${numberOf('passed')} passed, ${failed} failed
`);
