/**
 * `npm run test:slow` runs the slow lanes of `lanes.ts`, or only the named ones. If a program is missing, the command
 * fails before the first test. `--skip-missing` skips its lanes instead. Arguments after `--` are passed to vitest.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Program, type SlowLane, slowLanes } from './lanes.ts';

/**
 * Returns the reason why a program can't be used.
 * @returns undefined if it works
 */
function problemOf({ command, variable, probe, install }: Program): string | undefined {
  const path = (variable && process.env[variable]) || command;
  const { error, status, stderr } = spawnSync(path, probe, { encoding: 'utf8' });
  if (error) return `${command} is missing (${install})`;
  return status === 0 ? undefined : `${command} doesn't work here (${stderr.split('\n')[0]})`;
}

const words = process.argv.slice(2);
const end = words.indexOf('--');
const [own, forVitest] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end + 1)];
const { values, positionals } = parseArgs({
  args: own,
  allowPositionals: true,
  options: { 'skip-missing': { type: 'boolean' } },
});
const unknown = positionals.filter((word) => !slowLanes.some(({ name }) => name === word));
const chosen = slowLanes.filter(({ name, isLong }) =>
  positionals.length === 0 ? !isLong : positionals.includes(name),
);
const problems = new Map<SlowLane, string>();
for (const lane of chosen) {
  const problem = lane.needs.map(problemOf).find((each) => each !== undefined);
  if (problem) problems.set(lane, problem);
}
const skips = values['skip-missing'] === true;
for (const [{ name }, problem] of problems)
  process.stderr.write(`${skips ? 'Skipped' : "Can't run"} the lane ${name}: ${problem}.\n`);
if (unknown.length > 0) process.stderr.write(`No such lane: ${unknown.join(', ')}.\n`);
if (unknown.length > 0 || (problems.size > 0 && !skips)) process.exit(1);

const lanes = chosen.filter((lane) => !problems.has(lane));
if (lanes.length === 0) process.exit(0);
const projects = lanes.flatMap(({ name }) => ['--project', name]);
const vitest = ['vitest', 'run', '--config', 'test/vitest.config.ts', ...projects, ...forVitest];
process.exitCode = spawnSync('npx', vitest, { stdio: 'inherit' }).status ?? 1;
