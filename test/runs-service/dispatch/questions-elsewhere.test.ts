import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startLosingProxy } from '../../support/network/losing-proxy.ts';
import { startRunsService, temporaryFolder } from '../../support/runs-service.ts';
import { aScheduler } from '../../support/service/run-elsewhere.ts';
import { acpEnvironment } from '../harnesses/acp/acp-bed.ts';

const permit = { permit: { kind: 'execute', title: 'Run tests' } };

const patchOf = (dataDir: string, id: string) =>
  readFileSync(join(dataDir, 'transcripts', id, 'changes.patch'), 'utf8');

/** An agent of the Agent Client Protocol elsewhere, with every third reply lost. */
async function asking(actions: object[]) {
  const { command = [] } = acpEnvironment();
  const scheduler = aScheduler();
  const environment = scheduler.environment('', {
    harness: 'acp',
    prepend_base_prompt: true,
    permissions: 'ask',
    command,
  });
  const proxy = await startLosingProxy();
  const service = await startRunsService({ environments: [environment], serviceUrl: proxy.url });
  proxy.leadTo(service.service.url);
  let calls = 0;
  proxy.lose(() => calls++ % 3 === 0);
  const id = await service.begin({ prompt: JSON.stringify(actions) });
  const run = await service.until(id, 'BLOCKED', 'SUCCEEDED', 'FAILED');
  const question = (await service.get(id)).agent_progress?.question;
  const answer = (body: object) =>
    service.request(`/agent/runs/${id}/answers`, {
      method: 'POST',
      body: JSON.stringify({ question_id: question?.id, ...body }),
      headers: { 'content-type': 'application/json' },
    });
  const ended = () => service.until(id, 'SUCCEEDED', 'FAILED', 'CANCELLED');
  return { ...service, scheduler, id, run, question, answer, ended };
}

describe('a question of an agent elsewhere', () => {
  it('blocks the run until a person answers, and the agent gets the answer', async () => {
    const { dataDir, id, run, question, answer, ended } = await asking([permit]);
    expect(run.state).toBe('BLOCKED');
    expect(question).toMatchObject({ text: 'Allow "Run tests"?', takes_text: false });
    expect((await answer({ option_id: 'yes' })).status).toBe(200);
    expect((await ended()).state).toBe('SUCCEEDED');
    expect(patchOf(dataDir, id)).toContain('+permission: yes');
  });

  it('that is a form takes values', async () => {
    const more = { count: { type: 'integer' }, sure: { type: 'boolean' } };
    const field = { enum: ['red', 'blue'] };
    const { dataDir, id, answer, ended } = await asking([
      { elicit: { message: 'Paint', field, more } },
    ]);
    expect((await answer({ values: { color: 'blue', count: 3, sure: true } })).ok).toBe(true);
    expect((await ended()).state).toBe('SUCCEEDED');
    expect(patchOf(dataDir, id)).toContain('"content":{"color":"blue","count":3,"sure":true}');
  });

  it('is closed when its agent crashes', async () => {
    const go = join(temporaryFolder(), 'go');
    const { run, ended } = await asking([{ crash: 3, once: go }, permit]);
    writeFileSync(go, '');
    expect((await ended()).state).toBe('FAILED');
    expect(await (await fetch(run.session_link ?? '')).text()).toContain(
      'wait for an answer anymore',
    );
  });

  it('ends with a cancel', async () => {
    const { id, request, answer, ended, scheduler } = await asking([permit]);
    await request(`/agent/runs/${id}/cancel`, { method: 'POST' });
    expect((await ended()).state).toBe('CANCELLED');
    expect((await answer({ option_id: 'yes' })).status).toBe(409);
    await expect.poll(() => scheduler.alive()).toEqual([]);
  });
});
