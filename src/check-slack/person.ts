import type { Seen, SlackRecord } from './record.ts';

/** Terminal of the person who runs the checks. `readLine` returns undefined once the input has ended. */
export type Terminal = { print(text: string): void; readLine(): Promise<string | undefined> };

/** Result of a person's action. `missing` means that no delivery arrived, `skipped` that the person didn't do it. */
export type Done<T> = { seen: T } | 'missing' | 'skipped';

/** A person who acts in Slack where an app can't, and reports how Slack looks. */
export type Person = {
  /** Asks the person for an action, then waits for the delivery that the action causes. */
  does<T>(instruction: string, find: (seen: Seen) => T | undefined): Promise<Done<T>>;
  /** Asks a question. Returns true for yes, false for no, and undefined if the person skips the question. */
  sees(question: string): Promise<boolean | undefined>;
};

/** Wraps a terminal so that its input ends after Ctrl-C. */
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
