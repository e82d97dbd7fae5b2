import { bundle } from '../../../../base/test/support/bundle.ts';

/** Returns the demo agent's settings, for tests that start it as a process. */
export const demoAgent = () => ({
  harness: 'acp' as const,
  command: [process.execPath, bundle('packages/demo/src/agent/main.ts')],
});
