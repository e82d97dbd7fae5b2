import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunsServiceOptions } from '../../src/service-options.ts';
import { type StartedService, startRunsService } from '../support/runs-service.ts';
import { spendingEnvironment, twoDollars } from './spending-run.ts';

const json = { 'content-type': 'application/json' };

async function start(
  calls: number,
  options: Partial<Omit<RunsServiceOptions, 'environments'>> = {},
) {
  const { environment, answered } = await spendingEnvironment(calls, { caps: [twoDollars] });
  const service = await startRunsService({ environments: [environment], ...options });
  const id = await service.begin({ prompt: 'x' });
  return { service, id, answered };
}

async function answer(service: StartedService, id: string, option: string): Promise<number> {
  const run = await service.until(id, 'BLOCKED', 'FAILED', 'SUCCEEDED');
  const body = { question_id: run.agent_progress?.question?.id, option_id: option };
  const path = `/agent/runs/${id}/answers`;
  const sent = { method: 'POST', headers: json, body: JSON.stringify(body) };
  return (await service.request(path, sent)).status;
}

const patchOf = ({ dataDir }: StartedService, id: string) =>
  join(dataDir, 'transcripts', id, 'changes.patch');

describe('a run that reaches its cap', () => {
  it('asks, and continues with the amount that is allowed', async () => {
    const { service, id, answered } = await start(4);
    const blocked = await service.until(id, 'BLOCKED', 'FAILED', 'SUCCEEDED');
    expect(blocked.agent_progress?.question).toMatchObject({
      kind: 'spend',
      text: 'This run has spent $2.00 of $2.00.\nIf you allow $2.00 more, it continues. Otherwise, it ends here.',
    });
    expect(answered()).toBe(2);
    await expect
      .poll(async () => (await service.get(id)).request_usage, { timeout: 8_000 })
      .toMatchObject({
        inference_cost_usd: 2,
        models: [
          { model: 'claude-opus-5-5', cost_usd: 2, calls: 2, estimated_calls: 0, tokens: 300 },
        ],
        tightest_cap: { scope: 'run', limit_usd: 2, spent_usd: 2, per: 'run' },
      });
    expect(await answer(service, id, 'allow')).toBe(200);
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(run.state).toBe('SUCCEEDED');
    expect(answered()).toBe(4);
    expect(run.request_usage).toMatchObject({
      inference_cost_usd: 4,
      tightest_cap: { limit_usd: 4, spent_usd: 4 },
    });
    const page = await (await fetch(run.session_link ?? '')).text();
    expect(page).toContain('4 calls, $4.00');
    expect(page).toContain('100 in, 50 out · $1.00 · Completed');
    expect(page).toContain('Ada answered: Allow $2.00 more');
  });

  it('ends with what it has after a stop, and keeps its changes', async () => {
    const { service, id, answered } = await start(4);
    expect(await answer(service, id, 'stop')).toBe(200);
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(run.state).toBe('FAILED');
    expect(run.status_message).toEqual({
      message: 'This run has spent $2.00 of $2.00. It was stopped there.',
      error_code: 'budget_exceeded',
      retryable: false,
    });
    expect(answered()).toBe(2);
    expect(existsSync(patchOf(service, id))).toBe(true);
    const output = readFileSync(join(service.dataDir, 'transcripts', id, 'output.log'), 'utf8');
    expect(output).toMatch(/call 3 4\d\d .*This run has spent \$2\.00 of \$2\.00/);
  });

  it('ends at the deadline if no one answers', async () => {
    const { service, id, answered } = await start(4, { spendQuestionMs: 1 });
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(run.status_message).toMatchObject({ error_code: 'budget_exceeded' });
    expect(answered()).toBe(2);
    const page = await (await fetch(run.session_link ?? '')).text();
    expect(page).toContain('No one answered in time');
  });
});

it('says on its page and at its end that the provider rejected the key', async () => {
  const { environment } = await spendingEnvironment(1, {}, (response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"type":"error","error":{"type":"authentication_error","message":"sk-rea…"}}');
  });
  const service = await startRunsService({ environments: [environment] });
  const run = await service.until(await service.begin({ prompt: 'x' }), 'SUCCEEDED', 'FAILED');
  const problem =
    'The model provider "anthropic" rejected the key (401). Tell the operator of the runs service to check its "key_file".';
  expect(run.status_message?.message?.split('\n').at(-1)).toBe(problem);
  const page = await (await fetch(run.session_link ?? '')).text();
  const shown = problem.replaceAll('"', '&quot;');
  expect(page).toContain(`<p class="reason" role="status">${shown}</p>`);
  expect(page).not.toContain('sk-rea');
});
