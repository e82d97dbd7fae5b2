import { createRunsClient } from 'runs-client';
import { onTestFinished } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import { startApiGate } from '../network/api-gate.ts';

const keyOf = (name: string, owner: string) => `key-of-${owner}-on-${name}-0123456789`;

/** Starts a runs service with several keys, which a test can revoke. Its agents name the service in their answers. */
export async function createKeyedService(name: string) {
  const owners = ['admin', 'spare', 'grace'] as const;
  const script = `case "$AGENT_PROMPT" in wait*) exec sleep 600;; *) echo "${name} did: $AGENT_PROMPT";; esac`;
  const { service } = await startRunsService({
    environments: [
      shellEnvironment(script, { id: `env-${name}`, default: true, repositories: [] }),
    ],
    keys: owners.map((owner) => ({
      key: keyOf(name, owner),
      role: 'all' as const,
      creator: { type: 'user' as const, uid: owner, display_name: owner },
    })),
  });
  const gate = await startApiGate(service.apiUrl);
  const client = createRunsClient({ baseUrl: service.apiUrl, apiKey: keyOf(name, 'admin') });
  onTestFinished(() => client.close());
  return {
    url: gate.baseUrl,
    adminKey: keyOf(name, 'admin'),
    spareKey: keyOf(name, 'spare'),
    graceKey: keyOf(name, 'grace'),
    revoke(key: string): void {
      const rejected = { status: 401, body: { detail: 'this key was revoked' } };
      gate.answer((_, __, authorization) => (authorization.includes(key) ? rejected : undefined));
    },
    answer: gate.answer,
    pass: gate.pass,
    holdAnswers: () => gate.holdAnswers(() => true),
    begin: (prompt: string) => client.runs.create({ prompt }),
    async runs() {
      const { runs } = await client.runs.list();
      return runs.map((run) => ({
        runId: run.run_id,
        prompt: run.prompt,
        state: run.state,
        by: run.creator?.uid,
      }));
    },
  };
}
