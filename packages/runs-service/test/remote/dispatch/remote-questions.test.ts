import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acpEnvironment } from '../../harnesses/acp/acp-bed.ts';
import { startLosingProxy } from '../../support/network/losing-proxy.ts';
import { startRunsService, temporaryFolder } from '../../support/runs-service.ts';
import { inProcessScheduler } from '../../support/service/in-process-scheduler.ts';

const permit = { permit: { kind: 'execute', title: 'Run tests' } };

/** Starts a remote ACP agent. Every third reply to it is lost. */
async function asking(actions: object[]) {
  const { command = [] } = acpEnvironment();
  const scheduler = inProcessScheduler();
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

describe('a question of a remote agent', () => {
  it('blocks the run until a person answers, with an option or with the values of a form', async () => {
    const field = { enum: ['red', 'blue'] };
    const more = { count: { type: 'integer' }, sure: { type: 'boolean' } };
    const form = { elicit: { message: 'Paint', field, more } };
    const { dataDir, id, run, question, answer, ended, get } = await asking([permit, form]);
    expect(run.state).toBe('BLOCKED');
    expect(question).toMatchObject({ text: 'Allow "Run tests"?', takes_text: false });
    expect((await answer({ option_id: 'yes' })).status).toBe(200);
    const next = async () => (await get(id)).agent_progress?.question?.id ?? question?.id;
    await expect.poll(next).not.toBe(question?.id);
    const values = { color: 'blue', count: 3, sure: true };
    expect((await answer({ question_id: await next(), values })).ok).toBe(true);
    expect((await ended()).state).toBe('SUCCEEDED');
    const patch = readFileSync(join(dataDir, 'transcripts', id, 'changes.patch'), 'utf8');
    expect(patch).toContain('+permission: yes');
    expect(patch).toContain(`"content":${JSON.stringify(values)}`);
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
    await expect.poll(scheduler.active).toBe(0);
  });
});
