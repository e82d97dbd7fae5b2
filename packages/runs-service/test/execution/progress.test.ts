import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ListRunsResponse } from 'runs-client/contract';
import { describe, expect, it } from 'vitest';
import { shellEnvironment, startRunsService } from '../support/runs-service.ts';

const line = (event: unknown) => `echo '${JSON.stringify(event)}'`;
const says = (text: string) =>
  line({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const plan = line({
  sessionUpdate: 'plan',
  entries: [
    { content: 'Look', status: 'completed' },
    { content: 'Count', status: 'in_progress' },
  ],
});
const calls = line({
  sessionUpdate: 'tool_call',
  toolCallId: 't',
  title: 'npm test',
  kind: 'execute',
});

async function run(script: string) {
  const service = await startRunsService({ environments: [shellEnvironment(script)] });
  const id = await service.begin({ prompt: 'x' });
  return { service, id, ended: await service.until(id, 'SUCCEEDED', 'FAILED') };
}

describe('a script that reports its progress', () => {
  it('shows its plan and its current step while it works', async () => {
    const script = `until [ -e ../../go ]; do sleep 0.05; done; ${plan}; ${calls}; sleep 600`;
    const service = await startRunsService({ environments: [shellEnvironment(script)] });
    const id = await service.begin({ prompt: 'x' });
    const started = await service.until(id, 'INPROGRESS');
    const folder = join(service.dataDir, 'work', id);
    await expect.poll(() => existsSync(folder)).toBe(true);
    writeFileSync(join(folder, 'go'), '');
    await expect
      .poll(async () => (await service.get(id)).agent_progress)
      .toMatchObject({
        step: 'execute npm test',
        plan: [
          { title: 'Look', state: 'completed' },
          { title: 'Count', state: 'in_progress' },
        ],
        tool_calls: [{ name: 'execute', input: 'npm test', state: 'in_progress' }],
      });
    // A run in progress has a new change time when its step changes.
    const { updated_at: now } = await service.get(id);
    expect(Date.parse(now)).toBeGreaterThan(Date.parse(started.updated_at));
    await service.request(`/agent/runs/${id}/cancel`, { method: 'POST' });
    const ended = await service.until(id, 'CANCELLED');
    expect(ended.agent_progress).toMatchObject({ tool_calls: [{ state: 'failed' }] });
    expect(ended.agent_progress).not.toHaveProperty('step');
  });

  it('answers with its last message, and says what it changed', async () => {
    const { ended, service } = await run(
      `${says('Looking')}; ${calls}; echo three >> notes.txt; ${says('**Two** lines')}`,
    );
    expect(ended).toMatchObject({
      state: 'SUCCEEDED',
      status_message: { message: '**Two** lines' },
      agent_progress: {
        answer: '**Two** lines',
        changes: { files: 1, insertions: 1, deletions: 0 },
      },
    });
    const answer = await service.request('/agent/runs');
    const list = (await answer.json()) as ListRunsResponse;
    expect(list.runs[0]?.agent_progress).toMatchObject({ changes: { files: 1 } });
    expect(list.runs[0]?.agent_progress).not.toHaveProperty('answer');
    expect(list.runs[0]?.agent_progress).not.toHaveProperty('tool_calls');
  });

  it('shows it all on the session page, without keys and as text, and reports its cost', async () => {
    const cost = { sessionUpdate: 'usage_update', cost: { amount: 0.25, currency: 'USD' } };
    const { ended } = await run(
      `${line({ ...cost, totalTokens: 7 })}; ${plan}; ${says('<b>ghp_0123456789abcdefghijklmnopqrstuvwxyz</b>')}`,
    );
    expect(ended.request_usage).toEqual({ inference_cost_usd: 0.25, total_tokens: 7 });
    const page = await (await fetch(ended.session_link ?? '')).text();
    expect(page).toContain('1 of 2');
    expect(page).toContain('&lt;b&gt;');
    const progress = page.slice(page.indexOf('id="progress"'), page.indexOf('id="output"'));
    expect(progress).not.toContain('ghp_0123');
  });
});
