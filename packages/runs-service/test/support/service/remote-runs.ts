import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { bundleSlashAgent } from '../../../../base/test/support/bundle.ts';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { shellEnvironment, temporaryFolder } from '../runs-service.ts';

/**
 * Creates a scheduler that starts each run at once as a detached process of this machine. `inProcessScheduler` does the
 * same without processes.
 */
export function processScheduler() {
  const folder = temporaryFolder();
  const script = (name: string, lines: string[]) => {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${lines.join('\n')}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const start = script('start', [
    `cd ${folder} || exit 1`,
    'id=$$',
    'cat > $id.json',
    `run=$(sed 's/.*"run_id":"\\([^"]*\\)".*/\\1/' $id.json)`,
    `export RUNS_SERVICE_ALLOW_ROOT=true RUN_FILE=$id.json DATA_DIR=${folder}/data name=$run.$id`,
    `setsid sh -c 'echo $$ > $name.new; exec ${process.execPath} ${bundleSlashAgent()} run-one' < /dev/null > $name.log 2>&1 &`,
    // Wait for the new process group, because processes in the command's group end with the command.
    'while [ ! -s $name.new ]; do sleep 0.02; done; mv $name.new $name.pid',
  ]);
  const cancel = script('cancel', [
    `cd ${folder} || exit 1`,
    `run=$(sed 's/.*"run_id":"\\([^"]*\\)".*/\\1/')`,
    'for file in $run.*.pid; do kill -9 -- -$(cat $file) $(cat $file) 2>/dev/null; done; exit 0',
  ]);
  const named = (ending: string) => readdirSync(folder).filter((name) => name.endsWith(ending));
  const pidsOf = (runId = '') =>
    named('.pid')
      .filter((name) => name.startsWith(runId))
      .map((name) => Number(readFileSync(join(folder, name), 'utf8')));
  const isAlive = (pid: number) => existsSync(`/proc/${pid}/stat`) && !isZombie(pid);
  onTestFinished(() => {
    for (const pid of pidsOf().filter(isAlive)) process.kill(pid, 'SIGKILL');
  });
  return {
    /** Returns the IDs of running `run-one` processes. */
    alive: (runId = '') => pidsOf(runId).filter(isAlive),
    kill: (signal: NodeJS.Signals, runId = '') => {
      for (const pid of pidsOf(runId).filter(isAlive)) process.kill(pid, signal);
    },
    /** Returns an environment with a shell script as its agent. */
    environment: (agent: string, more: Partial<ServiceEnvironment> = {}): ServiceEnvironment => ({
      ...shellEnvironment(agent, { id: 'remote', ...more }),
      runner: 'command',
      isolation: 'external',
      dispatch: { command: [start], cancel: [cancel] },
    }),
  };
}

function isZombie(pid: number): boolean {
  try {
    return / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''));
  } catch {
    return true;
  }
}
