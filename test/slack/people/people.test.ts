import { describe, expect, it } from 'vitest';
import { createPeople } from '../../../src/slack/people/people.ts';

type Settle = { resolve(answer: object): void; reject(error: Error): void };

/** A Slack that answers `users.info` when it's told to. */
function slowSlack() {
  const waiting: Settle[] = [];
  const info = () => new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  const people = createPeople({ users: { info } } as never);
  const answer = (name: string) =>
    waiting.shift()?.resolve({ ok: true, user: { name, team_id: 'T1' } });
  return { people, waiting, answer };
}

describe('a person', () => {
  it('is asked for once, however many wait', async () => {
    const { people, waiting, answer } = slowSlack();
    const found = [people.find('U1'), people.find('U1')];
    expect(waiting).toHaveLength(1);
    answer('ada');
    expect((await Promise.all(found)).map(({ name }) => name)).toEqual(['ada', 'ada']);
    expect((await people.find('U1')).name).toBe('ada');
  });

  it('who is forgotten while Slack is asked is still found', async () => {
    const { people, answer } = slowSlack();
    const found = people.find('U1');
    people.forget('U1');
    answer('ada');
    expect((await found).name).toBe('ada');
  });

  it('is asked for again where it matters, and what was known counts meanwhile', async () => {
    const { people, waiting, answer } = slowSlack();
    const before = people.find('U1');
    answer('ada');
    await before;
    const now = people.findNow('U1');
    expect(people.recall(['U1']).get('U1')?.name).toBe('ada');
    waiting.shift()?.reject(new Error('no'));
    await expect(now).rejects.toThrow('no');
    expect(people.recall(['U1']).get('U1')?.name).toBe('ada');
  });
});
