import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { onTestFinished } from 'vitest';
import { readRunOneConfig } from '../../../src/config/run-one-config.ts';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { runOne } from '../../../src/remote/run-one/run-one.ts';
import { shellEnvironment, temporaryFolder } from '../runs-service.ts';

/**
 * Creates a scheduler that executes remote runs in this process, like `run-one` in its own. Its dispatch command only
 * writes its JSON input to a file.
 * @param timesEach number of times that it executes each dispatch
 */
export function inProcessScheduler(timesEach = 1) {
  const folder = temporaryFolder();
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  const stopping = new AbortController();
  const running = new Set<Promise<boolean>>();
  const begun = new Set<string>();
  const isDispatch = (name: string) => name.endsWith('.json');

  function begin(name: string): void {
    if (begun.has(name)) return;
    begun.add(name);
    for (let at = 0; at < timesEach; at += 1) {
      const config = readRunOneConfig({
        RUN_FILE: join(folder, name),
        DATA_DIR: join(folder, 'data'),
        PATH: process.env['PATH'],
        RUNS_SERVICE_ALLOW_ROOT: 'true',
      });
      const run = runOne(config, { stopping: stopping.signal, logger });
      running.add(run);
      void run.finally(() => running.delete(run));
    }
  }
  const beginNewFiles = () => {
    for (const name of readdirSync(folder).filter(isDispatch)) begin(name);
  };
  const watcher = watch(folder, beginNewFiles);
  onTestFinished(async () => {
    watcher.close();
    stopping.abort();
    await Promise.all(running);
  });

  const save = `cat > ${folder}/$$.new && mv ${folder}/$$.new ${folder}/$$.json`;
  const dispatch = {
    command: ['sh', '-c', save],
    cancel: ['sh', '-c', `cat > ${folder}/canceled`],
  };
  return {
    dispatch,
    /** Returns the JSON input of each dispatch. */
    dispatches: () =>
      [...begun].map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))),
    log: () => lines.join(''),
    wasCanceled: () => existsSync(join(folder, 'canceled')),
    /** Returns the number of runs that it executes now. */
    active: () => running.size,
    /** Stops all runs from outside, like SIGTERM does. */
    stop: () => stopping.abort(),
    /** Returns an environment with a shell script as its agent. */
    environment: (agent: string, more: Partial<ServiceEnvironment> = {}): ServiceEnvironment => ({
      ...shellEnvironment(agent, { id: 'remote', ...more }),
      runner: 'command',
      isolation: 'external',
      dispatch: more.dispatch ?? dispatch,
    }),
  };
}
