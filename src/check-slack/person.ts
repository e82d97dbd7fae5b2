import type { Seen, SlackRecord } from './record.ts';

/** `readLine`: undefined when the input has ended. */
export type Terminal = { print(text: string): void; readLine(): Promise<string | undefined> };

/** `skipped`: the person can't or doesn't want to. */
export type Done<T> = { seen: T } | 'missing' | 'skipped';

/** Does in Slack what no app can, and says what only people see. */
export type Person = {
  /** Asks for something, then waits for what the app sees of it. */
  does<T>(instruction: string, find: (seen: Seen) => T | undefined): Promise<Done<T>>;
  /** A question to answer with yes or no. @returns undefined if it's skipped */
  sees(question: string): Promise<boolean | undefined>;
};

/** After Ctrl-C, nobody answers. */
export function untilStopped({ print, readLine }: Terminal, signal: AbortSignal): Terminal {
  const stopped = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  return {
    print,
    readLine: async () => (signal.aborted ? undefined : Promise.race([readLine(), stopped])),
  };
}

type Deps = { record: SlackRecord; patienceMs: number; signal: AbortSignal };

export function createPerson(
  { print, readLine }: Terminal,
  { record, patienceMs, signal }: Deps,
): Person {
  const isSkipped = (line: string | undefined) => line === undefined || /^s(kip)?$/i.test(line);

  return {
    async does(instruction, find) {
      const seen = record.fromNow();
      print(`\n  ▸ ${instruction}\n    Then press Enter, or type s to skip: `);
      if (isSkipped(await readLine())) return 'skipped';
      const found = await record.until(() => find(seen()), { withinMs: patienceMs, signal });
      if (found !== undefined) return { seen: found };
      return signal.aborted ? 'skipped' : 'missing';
    },

    async sees(question) {
      for (;;) {
        print(`\n  ? ${question}\n    y (yes), n (no) or s (skip): `);
        const line = await readLine();
        if (isSkipped(line)) return undefined;
        if (/^y(es)?$/i.test(line ?? '')) return true;
        if (/^no?$/i.test(line ?? '')) return false;
      }
    },
  };
}
