/** Starts a process that follows runs (the bot or its competitor) and collects its reports. */
import { type ChildProcess, fork } from 'node:child_process';

/** A child's report: a shown state of a run with its time, the end of its start, or its resource usage. */
export type Told = { note?: string; at?: number; hasBegun?: true; usage?: Usage };
export type Usage = {
  rssBytes: number;
  cpuMs: number;
  statements: number;
  flushes: number;
  calls: number;
};

/** Sends a report to the benchmark. Runs in the child. */
export const tell = (told: Told): void => void process.send?.(told);

/** Reports resource usage on request. Runs in the child. */
export function tellUsage(counted = { statements: 0, flushes: 0, calls: 0 }): void {
  process.on('message', () => {
    globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    const rssBytes = process.memoryUsage().rss;
    tell({ usage: { rssBytes, cpuMs: (user + system) / 1_000, ...counted } });
  });
}

export type FollowingChild = ReturnType<typeof startChild>;

export function startChild(file: string, ...args: string[]) {
  const child = fork(file, args, { execArgv: ['--expose-gc'] });
  /** Time at which each note was handed over to the Slack client, in epoch ms. */
  const shown = new Map<string, number>();
  child.on('message', ({ note, at }: Told) => {
    if (note !== undefined && at !== undefined) shown.set(note, at);
  });
  return {
    shown,
    begun: hear(child, ({ hasBegun }) => hasBegun),
    usage(): Promise<Usage> {
      const answer = hear(child, ({ usage }) => usage);
      child.send('usage');
      return answer;
    },
    /** Ends the child with SIGKILL. */
    async kill(): Promise<void> {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function hear<T>(child: ChildProcess, read: (told: Told) => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const listen = (told: Told) => {
      const value = read(told);
      if (value === undefined) return;
      child.off('message', listen);
      resolve(value);
    };
    child.on('message', listen);
    child.once('exit', (code) => reject(new Error(`A process of the benchmark exited (${code})`)));
  });
}

export const sleepMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export async function untilShown({ shown }: FollowingChild, note: string): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!shown.has(note)) {
    if (Date.now() > deadline) throw new Error(`"${note}" was never shown`);
    await sleepMs(2);
  }
}
