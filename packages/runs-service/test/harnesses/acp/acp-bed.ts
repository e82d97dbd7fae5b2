import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Run } from 'runs-client/contract';
import { bundle } from '../../../../base/test/support/bundle.ts';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { shellEnvironment, startRunsService } from '../../support/runs-service.ts';

const agentFile = () => bundle('packages/runs-service/test/harnesses/acp/acp-agent.ts');

/** Environment whose agent is `acp-agent.ts` as a child process, without a sandbox. */
export function acpEnvironment(
  manner = '',
  more: Partial<ServiceEnvironment> = {},
): ServiceEnvironment {
  return shellEnvironment('', {
    harness: 'acp',
    prepend_base_prompt: true,
    command: [process.execPath, agentFile(), manner],
    isolation: 'none',
    permissions: 'allow',
    keep: ['.sessions'],
    ...more,
  });
}

/** Settings for the same agent in a sandbox, with the permissions that environments have by default. */
export const inBubblewrap = (): object => ({
  isolation: 'bubblewrap',
  permissions: undefined,
  network: 'none',
  read_only: [dirname(agentFile()), dirname(dirname(process.execPath))],
});

export async function startAcp(manner = '', more: Partial<ServiceEnvironment> = {}) {
  const service = await startRunsService({ environments: [acpEnvironment(manner, more)] });
  const begin = (actions: object[], config: object = {}) =>
    service.begin({ prompt: JSON.stringify(actions), config });
  const file = (id: string, name: string) =>
    readFileSync(join(service.dataDir, 'transcripts', id, name), 'utf8');
  return {
    ...service,
    begin,
    /** Continues a conversation with another run. */
    next: async (conversation: Run, actions: object[]): Promise<Run> => {
      const { conversation_id } = conversation;
      const id = await service.begin({ prompt: JSON.stringify(actions), conversation_id });
      return service.until(id, 'SUCCEEDED', 'FAILED');
    },
    run: async (actions: object[], config: object = {}): Promise<Run> =>
      service.until(await begin(actions, config), 'SUCCEEDED', 'FAILED'),
    log: (id: string) => file(id, 'output.log'),
    patch: (id: string) => file(id, 'changes.patch'),
  };
}
