import { createLogger } from 'base/logger';
import type { Run } from 'runs-client/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceKey } from '../../../src/api/keys/keyring.ts';
import { createHold } from '../../../src/gateway/hold.ts';
import { createRuns } from '../../../src/store/runs.ts';
import type { SpendCap } from '../../../src/store/spend-cap.ts';
import { createSpendQuestions } from '../../../src/store/spend-questions.ts';
import { createSqliteDatabase, openTestDatabase } from '../../support/databases.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../../support/runs-service.ts';
import { aCapState } from '../../support/service/cap-builder.ts';
import { allowedOf, useUpCap } from '../../support/service/used-up-cap.ts';

const keyOf = (name: string) => `key-of-${name}-0123456789abcdefghij`;
const aKey = (uid: string, role: ServiceKey['role'], type: 'user' | 'service_account' = 'user') =>
  ({ key: keyOf(uid), role, creator: { type, uid, display_name: uid } }) satisfies ServiceKey;

/** Starts a run of `ada`, who can only act on her own runs, and holds a call of it at a cap. */
async function holdRun(
  setBy: 'operator' | 'caller',
  { starter = 'ada', cap = {} }: { starter?: string; cap?: Partial<SpendCap> } = {},
) {
  const db = await openTestDatabase(await createSqliteDatabase(temporaryFolder()));
  onTestFinished(() => db.destroy());
  const { request, service } = await startRunsService({
    db,
    environments: [shellEnvironment('sleep 1000')],
    keys: [
      { ...aKey('ada', 'all'), key: keyOf('ada-all') },
      aKey('ada', 'own'),
      aKey('ben', 'own'),
      aKey('boss', 'all'),
      aKey('eye', 'read'),
    ],
  });
  const as = (name: string) => ({
    'content-type': 'application/json',
    authorization: `Bearer ${keyOf(name)}`,
  });
  const post = (name: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    request(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...as(name), ...headers },
    });
  const created = await post(starter, '/agent/run', { prompt: 'x' });
  const { run_id: id } = (await created.json()) as { run_id: string };
  const get = async () =>
    (await (await request(`/agent/runs/${id}`, { headers: as('ada') })).json()) as Run;
  await expect.poll(async () => (await get()).state).toBe('INPROGRESS');
  await useUpCap(db, id);
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const hold = createHold({
    questions: createSpendQuestions(db),
    logger: createLogger('silent'),
  });
  const held = hold({
    run: { runId: id, onStopped: () => {}, signal: ending.signal },
    state: aCapState({ cap: { key: `run:${id}`, setBy, ...cap }, spent: 5_000_000 }),
    signal: ending.signal,
    onHeld: () => {},
    onReleased: () => {},
  });
  await expect.poll(async () => (await get()).state).toBe('BLOCKED');
  const question = (await get()).agent_progress?.question;
  const answer = (name: string, option: string, headers: Record<string, string> = {}) =>
    post(
      name,
      `/agent/runs/${id}/answers`,
      { question_id: question?.id, option_id: option },
      headers,
    );
  const row = () => createRuns(db).get(id);
  const page = async () => {
    const { session_link: link } = await get();
    return { link: link ?? '', html: await (await fetch(link ?? '')).text() };
  };
  return { db, id, service, post, get, question, answer, held, row, page };
}

const detailOf = async (response: Response) =>
  ((await response.json()) as { detail: string }).detail;

describe('a question about spending', () => {
  it('is shown as a question of its kind', async () => {
    const { question } = await holdRun('caller');
    expect(question).toMatchObject({ kind: 'spend', takes_text: false });
  });

  it("can be answered for the caller's caps only with the keys of the run's caller", async () => {
    const { answer, get, held, db, id } = await holdRun('caller');
    for (const name of ['boss', 'eye'])
      expect((await answer(name, 'allow')).status, name).toBe(403);
    expect((await answer('ben', 'allow')).status).toBe(404);
    expect(await detailOf(await answer('boss', 'allow'))).toBe(
      'This cap was set by the caller that started the run, so only the API keys of "ada" can answer. Ask its owner to answer.',
    );
    expect((await get()).state).toBe('BLOCKED');
    expect((await answer('ada', 'allow')).status).toBe(200);
    expect(await held).toEqual({ outcome: 'allowed' });
    expect(await allowedOf(db, id)).toEqual({ operator: 0, caller: 5_000_000 });
  });

  it('about a cap that callers share needs a key that acts on all runs', async () => {
    const cap = { scope: 'channel', key: 'channel:T1/C1' } as const;
    const { answer, held } = await holdRun('caller', { starter: 'ada-all', cap });
    expect(await detailOf(await answer('ada', 'allow'))).toBe(
      'This cap applies to other callers too, so only API keys of "ada" with the role "all" can answer. Ask its owner to answer.',
    );
    expect((await answer('ada-all', 'allow')).status).toBe(200);
    expect(await held).toEqual({ outcome: 'allowed' });
  });

  it("about a cap of one key owner is answered with that owner's keys", async () => {
    const cap = { scope: 'channel', key: 'own:channel:C1/T1/user ada' } as const;
    const { answer } = await holdRun('caller', { cap });
    expect((await answer('ada', 'allow')).status).toBe(200);
  });

  it("can be answered for the operator's caps only with keys that act on all runs", async () => {
    const { answer, row, held, db, id } = await holdRun('operator');
    for (const option of ['allow', 'stop'])
      expect(await detailOf(await answer('ada', option))).toBe(
        'This cap is in the environments file, so only API keys with the role "all" can answer. Ask the operator of the runs service to answer.',
      );
    expect(await row()).toMatchObject({ state: 'BLOCKED', spend_stopped: null });
    expect((await answer('boss', 'stop')).status).toBe(200);
    expect(await held).toMatchObject({ outcome: 'stopped' });
    expect(await allowedOf(db, id)).toEqual({ operator: 0, caller: 0 });
  });

  it('counts one answer, also when a caller repeats its request', async () => {
    const { answer, db, id } = await holdRun('caller');
    const key = { 'idempotency-key': 'once' };
    const answers = [answer('ada', 'allow', key), answer('ada', 'allow', key)];
    const both = (await Promise.all(answers)).map(({ status }) => status);
    expect(both).toContain(200);
    expect((await answer('ada', 'allow', key)).status).toBe(200);
    expect((await answer('ada', 'allow')).status).toBe(409);
    expect(await allowedOf(db, id)).toEqual({ operator: 0, caller: 5_000_000 });
  });

  it("isn't answered by a message, because a message doesn't say who can allow more", async () => {
    const { post, id, get, row } = await holdRun('caller');
    for (const message of ['allow', 'Allow $5.00 more', 'Stop here'])
      expect((await post('ada', `/agent/runs/${id}/followups`, { message })).status).toBe(200);
    expect((await get()).state).toBe('BLOCKED');
    expect((await row())?.spend_stopped).toBeNull();
  });

  it('has no buttons on the session page, and no form answers it', async () => {
    const { page, question, get, service } = await holdRun('caller');
    const { link, html } = await page();
    expect(html).toContain('This run has spent $5.00 of $5.00.');
    expect(html).toContain('Answer in Slack, or through the API.');
    expect(html).not.toContain('name="option_id"');
    const sent = await fetch(link, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: `Bearer ${keyOf('ada')}`, origin: service.url },
      body: new URLSearchParams({ question_id: question?.id ?? '', option_id: 'allow' }),
    });
    expect(sent.status).toBeOneOf([401, 403]);
    expect((await get()).state).toBe('BLOCKED');
  });
});
