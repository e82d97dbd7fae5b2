import { beforeEach, expect, it } from 'vitest';
import type { NewAnswer } from '../../../src/requests/answer.ts';
import { ownAuthority } from '../../../src/requests/authority.ts';
import { createOutbox } from '../../../src/store/outbox/outbox.ts';
import { createAnswers } from '../../../src/store/requests/answers.ts';
import { createRequestLeases } from '../../../src/store/requests/request-leases.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';
import { storedRequest } from '../../support/database/stored-request.ts';

const anAnswer = (answeredBy: string, text = 'Yes'): NewAnswer => ({
  id: 'r1 question q1',
  teamId: 'T1',
  requestId: 'r1',
  answeredBy,
  authority: ownAuthority(answeredBy),
  answeredAt: 7,
  given: { questionId: 'q1', optionId: 'yes', text },
});

describeOnDatabase('answers', (database) => {
  const answers = () => createAnswers(database());
  const pending = async () => (await storedRequest(database(), 'r1')).pendingAnswer;

  beforeEach(async () => {
    for (const table of ['answers', 'requests', 'outbox'] as const)
      await database().deleteFrom(table).execute();
    const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    await createRequests(database()).accept({ id: 'r1', ...asked, config: {}, acceptedAt: 1 });
  });

  it('of a hundred at once by five people count once', async () => {
    const people = ['U1', 'U2', 'U3', 'U4', 'U5'];
    const given = await Promise.all(
      Array.from({ length: 100 }, (_, n) => {
        const person = people[n % people.length] ?? '';
        return answers().give(anAnswer(person, `answer ${n}`));
      }),
    );
    expect(given.filter(Boolean)).toHaveLength(1);
    const counted = await answers().find('r1 question q1');
    expect(counted?.given.text).toBe(`answer ${given.indexOf(true)}`);
    expect(await pending()).toBe('r1 question q1');
  });

  it('are settled once, and leave an answer to the next question pending', async () => {
    await answers().give(anAnswer('U1'));
    await answers().give({ ...anAnswer('U2'), id: 'r1 question q2' });
    await answers().settle({ id: 'r1 question q1', requestId: 'r1' }, 'accepted', null);
    await answers().settle({ id: 'r1 question q1', requestId: 'r1' }, 'rejected', 'no');
    expect(await answers().find('r1 question q1')).toMatchObject({ outcome: 'accepted' });
    expect(await pending()).toBe('r1 question q2');
  });

  it('are all settled, also one that waited while the next question was answered', async () => {
    const [first, next] = ['r1 question q1', 'r1 question q2'];
    const post = { kind: 'question', teamId: 'T1', requestId: 'r1', content: {}, dueAt: null };
    await createOutbox(database()).plan([first, next].map((id) => ({ id, ...post })));
    await answers().give(anAnswer('U1'));
    await answers().give({ ...anAnswer('U2'), id: next });
    await database().updateTable('requests').set({ due_at: null }).execute();
    await answers().settle({ id: next, requestId: 'r1' }, 'accepted', null);
    expect(await pending()).toBe(first);
    expect(await createRequestLeases(database()).nextDueInMs()).toBeLessThanOrEqual(0);
    await answers().settle({ id: first, requestId: 'r1' }, 'accepted', null);
    expect(await pending()).toBeNull();
  });

  it.each([
    ['accepted', false],
    ['late', false],
    ['unclear', true],
    ['rejected', true],
    ['not_offered', true],
  ] as const)('after one that was %s: another one counts is %s', async (outcome, may) => {
    await answers().give(anAnswer('U1'));
    await answers().settle({ id: 'r1 question q1', requestId: 'r1' }, outcome, 'why');
    expect(await answers().give(anAnswer('U2'))).toBe(may);
    const now = { answeredBy: 'U2', authority: ownAuthority('U2'), outcome: null, problem: null };
    if (may) expect(await answers().find('r1 question q1')).toMatchObject(now);
  });

  it('begin to be sent by one replica', async () => {
    await answers().give(anAnswer('U1'));
    const read = { id: 'r1 question q1', beganAt: null };
    const began = await Promise.all([answers().begin(read, 1), answers().begin(read, 2)]);
    expect(began.filter(Boolean)).toHaveLength(1);
  });
});
