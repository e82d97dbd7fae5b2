import { describe, expect, it } from 'vitest';
import { acpEnvironment } from '../../harnesses/acp/acp-bed.ts';
import { startRunsService } from '../../support/runs-service.ts';

const keyOf = (uid: string, role: 'own' | 'all' | 'read') => ({
  key: `key-of-${uid}`,
  role,
  creator: { type: 'user' as const, uid, display_name: `${uid} <b>` },
});

describe('an answer from the session page', () => {
  async function blocked(...actions: object[]) {
    const { service, create, request } = await startRunsService({
      environments: [acpEnvironment('', { permissions: 'ask' })],
      keys: [keyOf('ada', 'own'), keyOf('bob', 'own'), keyOf('eyes', 'read'), keyOf('ops', 'all')],
    });
    const as = (uid: string) => ({ authorization: `Bearer key-of-${uid}` });
    const created = await create({ prompt: JSON.stringify(actions) }, as('ada'));
    const { run_id: id } = (await created.json()) as { run_id: string };
    const get = async () =>
      (await (await request(`/agent/runs/${id}`, { headers: as('ada') })).json()) as {
        state: string;
        session_link: string;
      };
    const until = (state: string) => expect.poll(async () => (await get()).state).toBe(state);
    await until('BLOCKED');
    const link = (await get()).session_link;
    const signIn = async (uid: string) => {
      const body = new URLSearchParams({ key: `key-of-${uid}` });
      const options = { method: 'POST', body, redirect: 'manual' } as const;
      const { headers } = await fetch(`${service.url}/runs`, options);
      return headers.get('set-cookie')?.split(';')[0] ?? '';
    };
    const open = async (uid?: string) =>
      (await fetch(link, { headers: { cookie: uid ? await signIn(uid) : '' } })).text();
    const questionNow = async () =>
      (await open('ada')).match(/name="question_id" value="([^"]+)"/)?.[1] ?? '';
    const question = await questionNow();
    /** Returns the ID of the next question. */
    const questionAfter = async () => {
      const isNew = async () => !['', question].includes(await questionNow());
      await expect.poll(isNew).toBe(true);
      return questionNow();
    };
    const send = async (
      uid: string | undefined,
      fields: Record<string, string>,
      more: Record<string, string> = {},
    ) =>
      fetch(link, {
        method: 'POST',
        body: new URLSearchParams({ question_id: question, ...fields }),
        headers: { cookie: uid ? await signIn(uid) : '', ...more },
        redirect: 'manual',
      });
    return { link, open, send, until, get, questionAfter };
  }
  const permit = { permit: { kind: 'execute', title: 'Run tests' } };
  const yes = { option_id: 'yes' };

  it('has the values of a form, or says what is wrong with them, or is text', async () => {
    const more = {
      count: { type: 'integer', title: 'How many <b>', maximum: 9 },
      days: { type: 'array', items: { type: 'string', enum: ['Mon', 'Tue'] } },
    };
    const text = { message: 'Color?', field: {} };
    const elicit = { message: 'Paint', field: { enum: ['red', 'blue'] }, more };
    const { open, send, until, questionAfter } = await blocked({ elicit }, { elicit: text });
    const page = await open('ada');
    expect(page).toContain('How many &lt;b&gt; (optional)');
    expect(page).toContain('<option value="blue">blue</option>');
    const wrong = await send('ada', { 'field:0': 'blue', 'field:1': '10' });
    expect([wrong.status, await wrong.text()]).toEqual([
      400,
      expect.stringContaining('How many &lt;b&gt;: Enter a whole number, at most 9.'),
    ]);
    expect((await send('ada', { 'field:0': 'blue', 'field:1': '', 'field:2': 'Tue' })).status).toBe(
      303,
    );
    const question_id = await questionAfter();
    expect(await open('ada')).toContain('name="text"');
    expect((await send('ada', { question_id, text: 'a warm green' })).status).toBe(303);
    await until('SUCCEEDED');
    const ended = await open();
    expect(ended).toContain('color: blue · days: Tue');
    expect(ended).toContain('answered: a warm green');
  });

  it('is accepted from people who can change the run, and from no one else', async () => {
    const { link, open, send, until, get } = await blocked(permit);
    const alone = await open();
    const [, href = ''] = /href="([^"]*)">Sign in to answer/.exec(alone) ?? [];
    const asked = await fetch(new URL(href, link), { redirect: 'manual' });
    expect(asked.status).toBe(401);
    expect(await asked.text()).toContain(`name="to" value="session/${link.split('/').at(-1)}"`);
    expect(alone).not.toContain('name="option_id"');
    for (const uid of ['bob', 'eyes']) {
      const page = await open(uid);
      expect(page).toContain('Ask ada &lt;b&gt;.');
      expect(page).not.toContain('name="option_id"');
      expect((await send(uid, yes)).status).toBe(403);
    }
    expect((await send(undefined, yes)).status).toBe(401);
    for (const site of ['cross-site', 'same-site'])
      expect((await send('ada', yes, { 'sec-fetch-site': site })).status).toBe(403);
    expect((await send('ada', { option_id: 'maybe' })).status).toBe(400);
    expect((await send('ada', { ...yes, text: 'x' })).status).toBe(400);
    expect((await send('ada', { text: 'x'.repeat(20_001) })).status).toBe(422);
    expect((await get()).state).toBe('BLOCKED');

    const counted = await send('ada', yes);
    expect(counted.status).toBe(303);
    expect(new URL(counted.headers.get('location') ?? '', link).href).toBe(link);
    await until('SUCCEEDED');
    const page = await open();
    expect(page).toContain('ada &lt;b&gt; answered: Yes');
    expect(page).not.toContain('Needs input</h2>');
  });

  it('is rejected if another answer was first', async () => {
    const { send, until } = await blocked(permit);
    const statuses = await Promise.all(
      ['ada', 'ops', 'ada', 'ops', 'ada'].map(async (uid, number) => {
        const answer = await send(uid, { option_id: number % 2 === 0 ? 'yes' : 'no' });
        if (answer.status === 409) expect(await answer.text()).toContain('answer wasn&#39;t used');
        return answer.status;
      }),
    );
    expect(statuses.toSorted()).toEqual([303, 409, 409, 409, 409]);
    await until('SUCCEEDED');
  });
});
