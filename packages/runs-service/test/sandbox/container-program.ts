import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceEnvironment } from '../../src/environments/environments.ts';
import { runningProcesses } from '../support/running-processes.ts';
import { temporaryFolder } from '../support/runs-service.ts';

/**
 * Fake container program. Instead of mounting, it replaces the path in the container with the real one. Its processes
 * aren't in the run's process group, and have only variables that are passed by name, without the run's mark. So only
 * `rm` can find and end them.
 */
const program = `#!${process.execPath}
const { spawn } = require('node:child_process');
const { appendFileSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const [verb, ...args] = process.argv.slice(2);
appendFileSync(__dirname + '/calls', JSON.stringify([verb, ...args]) + '\\n');
if (verb === 'rm') {
  const file = __dirname + '/' + args[1];
  try { process.kill(-Number(readFileSync(file, 'utf8')), 'SIGKILL'); rmSync(file); }
  catch { console.error('Error: No such container: ' + args[1]); process.exit(1); }
  process.exit(0);
}
let mount = ['', '\\0'];
const seen = (text) => String(text).replaceAll(mount[1], mount[0]);
const given = { name: '', workdir: '/', env: { PATH: '/usr/bin:/bin' } };
while (args[0]?.startsWith('--')) {
  const option = args.shift();
  if (option === '--rm' || option === '--interactive') continue;
  const value = args.shift();
  if (option === '--name') given.name = value;
  if (option === '--volume' && !value.endsWith(':ro')) mount = value.split(':');
  if (option === '--workdir') given.workdir = value;
  if (option === '--env' && value !== 'AGENT_RUN_ID') given.env[value] = process.env[value];
}
const [image, ...command] = args;
const env = Object.fromEntries(Object.entries(given.env).map(([name, value]) => [name, seen(value)]));
const child = spawn(command[0], command.slice(1).map(seen), { detached: true, cwd: seen(given.workdir), env, stdio: 'inherit' });
writeFileSync(__dirname + '/' + given.name, String(child.pid));
child.on('exit', (code) => { rmSync(__dirname + '/' + given.name, { force: true }); process.exit(code ?? 1); });
`;

/** Unique sleep duration, by which the test finds the process. */
const seconds = 3_000_000 + process.pid;
/** Returns the processes of the script `deaf`. */
export const sleeping = () =>
  runningProcesses().filter(({ command }) => command === `sleep ${seconds}`);
/** Shell script that ignores SIGTERM. */
export const deaf = `trap '' TERM; echo deaf; sleep ${seconds} & while :; do wait; done`;

export function createContainerProgram() {
  const folder = temporaryFolder();
  const file = join(folder, 'containers');
  writeFileSync(file, program, { mode: 0o755 });
  const environment: Partial<ServiceEnvironment> = {
    container: [
      file,
      'run',
      '--rm',
      '--interactive',
      ['--name', '{container_name}'],
      ['--volume', '{work_dir}:{work_dir}'],
      ['--volume', '{read_only}:{read_only}:ro'],
      ['--workdir', '{folder}'],
      ['--user', '{user}'],
      ['--env', '{variable}'],
      'an-image',
    ],
  };
  return { environment, callsFile: join(folder, 'calls') };
}
