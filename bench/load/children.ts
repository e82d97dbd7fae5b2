/** Starts the benchmark's processes. Each is this program again, with a role and its arguments. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

export type StartChild = <Told>(role: string, ...args: unknown[]) => Child<Told>;

export type Child<Told> = {
  pid: number;
  listen(take: (told: Told) => void): void;
  /** Waits for the next message that `read` accepts. */
  hear<T>(read: (told: Told) => T | undefined): Promise<T>;
  ask(): void;
  /** Disconnects the process, which then ends with everything that it started. */
  stop(): Promise<void>;
};

export const logFolder = '.tmp/load/logs';

/** @param file path of the bundled benchmark */
export function createChildren(file: string): StartChild {
  mkdirSync(logFolder, { recursive: true });
  let started = 0;
  return <Told>(role: string, ...args: unknown[]): Child<Told> => {
    started += 1;
    const log = openSync(join(logFolder, `${started}-${role}.log`), 'w');
    const child = fork(file, [role, JSON.stringify(args)], { stdio: ['ignore', log, log, 'ipc'] });
    const exited = once(child, 'exit');
    return {
      pid: child.pid ?? 0,
      listen: (take) => void child.on('message', (told) => take(told as Told)),
      hear: (read) =>
        new Promise((resolve, reject) => {
          const take = (told: unknown) => {
            const value = read(told as Told);
            if (value === undefined) return;
            child.off('message', take);
            child.off('exit', fail);
            resolve(value);
          };
          const fail = (code: number | null) => reject(new Error(`${role} exited (${code})`));
          child.on('message', take);
          child.once('exit', fail);
        }),
      ask: () => void child.send('ask'),
      async stop() {
        if (child.connected) child.disconnect();
        await exited;
      },
    };
  };
}
