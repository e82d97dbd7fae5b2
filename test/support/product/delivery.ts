import { describe, TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** How bots in this test receive Slack's deliveries. Where that doesn't matter, it's Socket Mode. */
    delivery?: 'http';
  }
}

/** For a test or a `describe`. */
export const overHttp = { meta: { delivery: 'http' } } as const;

/** For journeys that together bring every kind of delivery, also lost and repeated ones. */
export function describeOverBoth(name: string, tests: () => void): void {
  describe(`${name} (Socket Mode)`, tests);
  describe(`${name} (HTTP)`, overHttp, tests);
}

export const isOverHttp = (): boolean => TestRunner.getCurrentTest()?.meta.delivery === 'http';
