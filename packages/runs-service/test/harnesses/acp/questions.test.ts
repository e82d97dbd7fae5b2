import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { holdTimers } from '../../support/hold-timers.ts';
import { startAcp } from './acp-bed.ts';

const permit = {
  permit: { kind: 'execute', title: 'Run <b>tests', rawInput: { command: 'npm test' } },
};

async function start(more: Partial<ServiceEnvironment> = {}) {
  const acp = await startAcp('', { permissions: 'ask', ...more });
  const blocked = async (...actions: object[]) => {
    const id = await acp.begin(actions);
    const run = await acp.until(id, 'BLOCKED', 'SUCCEEDED', 'FAILED');
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      acp.request(`/agent/runs/${id}/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      });
    const asked = async () => (await acp.get(id)).agent_progress?.question;
    /** Waits for the question after this one. */
    const nextAfter = async (question_id: string | undefined) => {
      const isNew = async () => ((await asked())?.id ?? question_id) !== question_id;
      await expect.poll(isNew).toBe(true);
      return asked();
    };
    const page = async () => (await fetch(run.session_link ?? '')).text();
    const ended = () => acp.until(id, 'SUCCEEDED', 'FAILED', 'CANCELLED');
    const stateOf = async () => (await acp.get(id)).state;
    return { id, run, post, asked, nextAfter, page, ended, stateOf };
  };
  return { acp, blocked };
}

describe('a question of an agent', () => {
  it('blocks the run until someone chooses one of its options, once per key', async () => {
    const { acp, blocked } = await start();
    const { id, run, post, asked, page, ended, stateOf } = await blocked(permit);
    expect(run.state).toBe('BLOCKED');
    const question = await asked();
    expect(question).toMatchObject({
      text: 'Allow "Run <b>tests"?',
      details: 'npm test',
      takes_text: false,
      options: [
        { id: 'yes', label: 'Yes', kind: 'allow_once' },
        { id: 'always', label: 'Yes, always', kind: 'allow_always' },
        { id: 'no', label: 'No', kind: 'reject_once' },
      ],
    });
    const shown = await page();
    for (const text of ['Needs input', 'npm test', 'Run &lt;b&gt;tests'])
      expect(shown).toContain(text);

    const question_id = question?.id;
    for (const wrong of [{ option_id: 'maybe' }, { text: 'sure' }, {}])
      expect((await post('answers', { question_id, ...wrong })).status).toBe(400);
    expect((await post('answers', { question_id: 'other', option_id: 'yes' })).status).toBe(409);
    expect(await stateOf()).toBe('BLOCKED');

    const answer = { question_id, option_id: 'yes' };
    for (const key of ['k', 'k'])
      expect((await post('answers', answer, { 'idempotency-key': key })).status).toBe(200);
    const end = await ended();
    expect(end.state).toBe('SUCCEEDED');
    expect(end.agent_progress).not.toHaveProperty('question');
    expect(acp.patch(id)).toContain('+permission: yes');
    expect(await page()).toContain('Ada answered: Yes');
  });

  it('takes exactly one of many answers', async () => {
    const { acp, blocked } = await start();
    const { id, post, asked, ended } = await blocked(permit);
    const question_id = (await asked())?.id;
    const options = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'yes' : 'no'));
    const statuses = await Promise.all(
      options.map(async (option_id) => (await post('answers', { question_id, option_id })).status),
    );
    expect(statuses.toSorted()).toEqual([200, ...Array(19).fill(409)]);
    await ended();
    expect(acp.patch(id)).toContain(`+permission: ${options[statuses.indexOf(200)]}`);
  });

  it('comes one at a time, and is answered by a follow-up only with the label of an option', async () => {
    const { acp, blocked } = await start();
    const { id, post, asked, nextAfter, ended, stateOf } = await blocked(permit, permit);
    const first = await asked();
    expect((await post('followups', { message: 'yes, ALWAYS' })).status).toBe(200);
    const second = await nextAfter(first?.id);
    expect((await post('followups', { message: '[]' })).status).toBe(200);
    expect(await stateOf()).toBe('BLOCKED');
    await post('answers', { question_id: second?.id, option_id: 'no' });
    await ended();
    expect(acp.patch(id)).toContain('+permission: always\n+permission: no');
    // The other follow-up waited for the end of the prompt.
    expect(acp.patch(id)).toContain(',"[]"]');
  });

  it('is rejected if no one answers in time, and the run continues without losing time', async () => {
    const passLimit = holdTimers(1_000_000);
    const { acp, blocked } = await start({ question_seconds: 1, time_limit_seconds: 1_000 });
    const { id, page, ended } = await blocked(permit);
    passLimit();
    expect((await ended()).state).toBe('SUCCEEDED');
    expect(acp.patch(id)).toContain('+permission: no');
    expect(await page()).toContain('No one answered in time');
  });

  it('ends with its run, and with an agent that crashes', async () => {
    const { acp, blocked } = await start();
    const canceled = await blocked(permit);
    const question_id = (await canceled.asked())?.id;
    await acp.request(`/agent/runs/${canceled.id}/cancel`, { method: 'POST' });
    expect((await canceled.ended()).agent_progress).not.toHaveProperty('question');
    const late = await canceled.post('answers', { question_id, option_id: 'yes' });
    expect(late.status).toBe(409);

    const crashing = await blocked({ crash: 3, once: '../../go' }, permit);
    writeFileSync(join(acp.dataDir, 'work', crashing.id, 'go'), '');
    expect((await crashing.ended()).state).toBe('FAILED');
    expect(await crashing.page()).toContain('wait for an answer anymore');
  });
});

it('a form of an agent takes an option, text or values that fit; one that people cannot fill in is declined', async () => {
  const { acp, blocked } = await start();
  const form = (field: object, more = {}) => ({ elicit: { message: 'Which color?', field, more } });
  const colors = { enum: ['red', 'blue'] };
  const { id, post, asked, nextAfter, ended } = await blocked(
    form(colors),
    form({}),
    form(colors, { count: { type: 'integer', maximum: 9 }, sure: { type: 'boolean' } }),
    form({ type: 'array', items: { type: 'string', enum: [] } }),
  );
  const first = await asked();
  expect(first?.options.map(({ label }) => label)).toEqual(['red', 'blue']);
  await post('followups', { message: 'Blue' });

  const second = await nextAfter(first?.id);
  expect(second).toMatchObject({ takes_text: true, options: [] });
  await post('followups', { message: 'a warm green' });

  const third = await nextAfter(second?.id);
  expect(third?.fields?.map(({ name, kind }) => [name, kind])).toEqual([
    ['color', 'choice'],
    ['count', 'integer'],
    ['sure', 'boolean'],
  ]);
  const answer = (given: object) => post('answers', { question_id: third?.id, ...given });
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
  const answers = [...acp.patch(id).matchAll(/^\+form: (.*)$/gm)].map(([, said = '']) => said);
  expect(answers.map((said) => JSON.parse(said))).toEqual([
    { action: 'accept', content: { color: 'blue' } },
    { action: 'accept', content: { color: 'a warm green' } },
    { action: 'accept', content: { color: 'blue', count: 3, sure: true } },
    { action: 'decline' },
  ]);
});
