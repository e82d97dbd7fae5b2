import { bundle } from '../../../../base/test/support/bundle.ts';

/** The demo agent, for tests that start it as a process. */
export const demoAgent = () => ({
  harness: 'acp' as const,
  command: [process.execPath, bundle('packages/demo/src/agent/main.ts')],
});
