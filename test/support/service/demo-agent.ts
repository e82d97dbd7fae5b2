import { bundle } from '../bundle.ts';

/** The demo agent, for tests that start it as a process. */
export const demoAgent = () => ({
  harness: 'acp' as const,
  command: [process.execPath, bundle('src/runs-service/demo/agent/main.ts')],
});
