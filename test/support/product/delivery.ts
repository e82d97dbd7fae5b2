import { inject, TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Delivery mode of the bots in this test, in every lane. */
    delivery?: 'http';
  }
}

/** Options of a test or a `describe` that covers HTTP itself. */
export const overHttp = { meta: { delivery: 'http' } } as const;

/** Returns true in the lane `http` and in tests that cover HTTP itself. */
export const isOverHttp = (): boolean =>
  (TestRunner.getCurrentTest()?.meta.delivery ?? inject('delivery')) === 'http';
