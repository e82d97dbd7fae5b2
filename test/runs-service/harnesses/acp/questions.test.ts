import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServiceEnvironment } from '../../../../src/runs-service/environments/environments.ts';
import { holdTimers } from '../../../support/hold-timers.ts';
import { behind, startAcp } from './acp-bed.ts';

const permit = {
  permit: { kind: 'execute', title: 'Run tests', rawInput: { command: 'npm test' } },
};

async function blocked(more: Partial<ServiceEnvironment> = {}, actions: object[] = [permit]) {
  const acp = await startAcp('', { permissions: 'ask', ...more });
  const id = await acp.begin(actions);
  const run = await acp.until(id, 'BLOCKED', 'SUCCEEDED', 'FAILED');
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    acp.request(`/agent/runs/${id}/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const asked = async () => (await acp.get(id)).agent_progress?.question;
  const ended = () => acp.until(id, 'SUCCEEDED', 'FAILED', 'CANCELLED');
  return { acp, id, run, post, asked, ended };
}

describe(`a question of an agent (${behind})`, () => {
  it('blocks the run until someone chooses an option', async () => {
    const { acp, id, run, post, asked, ended } = await blocked();
    expect(run.state).toBe('BLOCKED');
    const question = await asked();
    expect(question).toMatchObject({
      text: 'Allow "Run tests"?',
      details: 'npm test',
      takes_text: false,
      options: [
        { id: 'yes', label: 'Yes', kind: 'allow_once' },
        { id: 'always', label: 'Yes, always', kind: 'allow_always' },
        { id: 'no', label: 'No', kind: 'reject_once' },
      ],
    });
    const page = await (await fetch(run.session_link ?? '')).text();
    expect(page).toContain('Needs input');
    expect(page).toContain('npm test');
    const answer = { question_id: question?.id, option_id: 'yes' };
    expect((await post('answers', answer)).status).toBe(200);
    const end = await ended();
    expect(end.state).toBe('SUCCEEDED');
    expect(end.agent_progress).not.toHaveProperty('question');
    expect(acp.patch(id)).toContain('+permission: yes');
    expect(await (await fetch(run.session_link ?? '')).text()).toContain('Ada answered: Yes');
  });

  it('takes exactly one of a hundred answers', async () => {
    const { acp, id, post, asked, ended } = await blocked();
    const question_id = (await asked())?.id;
    const options = Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? 'yes' : 'no'));
    const statuses = await Promise.all(
      options.map(async (option_id) => (await post('answers', { question_id, option_id })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(99);
    await ended();
    const said = options[statuses.indexOf(200)];
    expect(acp.patch(id)).toContain(`+permission: ${said}`);
  });

  it('takes an answer once per key', async () => {
    const { post, asked, ended } = await blocked();
    const answer = { question_id: (await asked())?.id, option_id: 'yes' };
    const key = { 'idempotency-key': 'k' };
    expect((await post('answers', answer, key)).status).toBe(200);
    expect((await post('answers', answer, key)).status).toBe(200);
    await ended();
  });

  it.each([
    ['an unknown option', { option_id: 'maybe' }],
    ['text', { text: 'sure' }],
    ['nothing', {}],
  ])('refuses %s', async (_name, answer) => {
    const { post, asked, acp, id } = await blocked();
    const refused = await post('answers', { question_id: (await asked())?.id, ...answer });
    expect(refused.status).toBe(400);
    expect((await acp.get(id)).state).toBe('BLOCKED');
  });

  it('refuses an answer to another question', async () => {
    const { post, asked } = await blocked();
    await asked();
    expect((await post('answers', { question_id: 'other', option_id: 'yes' })).status).toBe(409);
  });

  it('is answered by a follow-up with the label of an option', async () => {
    const { acp, id, post, asked, ended } = await blocked();
    await asked();
    expect((await post('followups', { message: 'yes, ALWAYS' })).status).toBe(200);
    expect((await ended()).state).toBe('SUCCEEDED');
    expect(acp.patch(id)).toContain('+permission: always');
  });

  it('is not answered by another follow-up, which waits', async () => {
    const { acp, id, post, asked, ended } = await blocked();
    const question = await asked();
    expect((await post('followups', { message: '[]' })).status).toBe(200);
    expect((await acp.get(id)).state).toBe('BLOCKED');
    await post('answers', { question_id: question?.id, option_id: 'no' });
    await ended();
    expect(acp.patch(id)).toContain('+permission: no');
    expect(acp.patch(id)).toContain(',"[]"]');
  });

  it('is refused if no one answers in time, and the run goes on without losing time', async () => {
    const passLimit = holdTimers(1_000_000);
    const limits = { question_seconds: 1, time_limit_seconds: 1_000 };
    const { acp, id, run, ended } = await blocked(limits);
    passLimit();
    expect((await ended()).state).toBe('SUCCEEDED');
    expect(acp.patch(id)).toContain('+permission: no');
    const page = await (await fetch(run.session_link ?? '')).text();
    expect(page).toContain('No one answered in time');
  });

  it('ends with the run', async () => {
    const { id, acp, post, asked, ended } = await blocked();
    const question_id = (await asked())?.id;
    await acp.request(`/agent/runs/${id}/cancel`, { method: 'POST' });
    expect((await ended()).agent_progress).not.toHaveProperty('question');
    expect((await post('answers', { question_id, option_id: 'yes' })).status).toBe(409);
  });

  it('goes away with an agent that crashes', async () => {
    const { acp, id, run, ended } = await blocked({}, [{ crash: 3, once: '../../go' }, permit]);
    writeFileSync(join(acp.dataDir, 'work', id, 'go'), '');
    expect((await ended()).state).toBe('FAILED');
    const page = await (await fetch(run.session_link ?? '')).text();
    expect(page).toContain('wait for an answer anymore');
  });

  it('comes one at a time', async () => {
    const { acp, id, post, asked, ended } = await blocked({}, [permit, permit]);
    const first = await asked();
    await post('answers', { question_id: first?.id, option_id: 'yes' });
    await expect
      .poll(async () => (await acp.get(id)).agent_progress?.question?.id ?? first?.id)
      .not.toBe(first?.id);
    const second = await asked();
    await post('answers', { question_id: second?.id, option_id: 'no' });
    await ended();
    expect(acp.patch(id)).toContain('+permission: yes\n+permission: no');
  });

  it('is safe to show, however long and hostile it is', async () => {
    const title = `<script>\u202e${'x'.repeat(50_000)}`;
    const { run, asked } = await blocked({}, [{ permit: { kind: 'execute', title } }]);
    const question = await asked();
    expect([...(question?.text ?? '')]).toHaveLength(2_000);
    expect(question?.text).not.toContain('\u202e');
    expect(await (await fetch(run.session_link ?? '')).text()).not.toContain('<script>x');
  });
});

describe(`a form of an agent (${behind})`, () => {
  const form = (field: object) => [{ elicit: { message: 'Which color?', field } }];

  it('is a question with options', async () => {
    const { acp, id, post, asked, ended } = await blocked({}, form({ enum: ['red', 'blue'] }));
    expect((await asked())?.options.map((option) => option.label)).toEqual(['red', 'blue']);
    await post('followups', { message: 'Blue' });
    await ended();
    expect(acp.patch(id)).toContain('+form: {"action":"accept","content":{"color":"blue"}}');
  });

  it('takes text, from a follow-up too', async () => {
    const { acp, id, post, asked, ended } = await blocked({}, form({}));
    expect(await asked()).toMatchObject({ takes_text: true, options: [] });
    await post('followups', { message: 'a warm green' });
    await ended();
    expect(acp.patch(id)).toContain('"content":{"color":"a warm green"}');
  });

  it('with several fields takes values that fit, and no message', async () => {
    const more = { count: { type: 'integer', maximum: 9 }, sure: { type: 'boolean' } };
    const field = { enum: ['red', 'blue'] };
    const { acp, id, post, asked, ended } = await blocked({}, [
      { elicit: { message: 'Paint', field, more } },
    ]);
    const question = await asked();
    expect(question?.fields?.map(({ name, kind }) => [name, kind])).toEqual([
      ['color', 'choice'],
      ['count', 'integer'],
      ['sure', 'boolean'],
    ]);
    const answer = (given: object) => post('answers', { question_id: question?.id, ...given });
    for (const wrong of [
      { text: 'blue' },
      { values: { color: 'green' } },
      { values: { count: 10 } },
      { values: { sure: 'true' } },
      { values: { other: 1 } },
    ])
      expect((await answer(wrong)).status).toBe(400);
    expect((await answer({ values: { color: 'blue', count: 3, sure: true } })).ok).toBe(true);
    await ended();
    expect(acp.patch(id)).toContain('"content":{"color":"blue","count":3,"sure":true}');
  });

  it('that people cannot fill in is declined', async () => {
    const { acp, id, ended } = await blocked(
      {},
      form({ type: 'array', items: { type: 'string', enum: [] } }),
    );
    await ended();
    expect(acp.patch(id)).toContain('+form: {"action":"decline"}');
  });
});
