import { bundle } from './bundle.ts';

/** The demo agent's command, for tests that start it as a process. */
export function demoAgentCommand(): string[] {
  return [process.execPath, bundle('src/runs-service/demo/agent/main.ts')];
}
