import { expect, it } from 'vitest';
import { nextCheckAt } from '../../src/outbox/duplicates.ts';
import { describeOnDatabase } from '../support/database/databases.ts';
import { pastSettledMs, useReplicas } from './replicas.ts';

describeOnDatabase('two replicas that post for one request', (database) => {
  const { replica, stopFirstIn, wait, finish, recordedMessage } = useReplicas(database);

  it('the first is killed, and its post arrives after the second has posted', async () => {
    const { slack, second, call: post } = await stopFirstIn('before', 'post');
    await wait(pastSettledMs);
    expect(await second.works()).toBe('done');
    expect(slack.standing('run message')).toHaveLength(1);
    post.landAndDie();
    expect(slack.standing('run message')).toHaveLength(2);
    await finish(second);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it("the first is frozen in its post, and continues between the second's look and post", async () => {
    const { slack, second, call: sleeping, firstDone } = await stopFirstIn('before', 'post');
    await wait(pastSettledMs);
    const posting = slack.holdBefore('post');
    const secondDone = second.works();
    await posting.reached;
    sleeping.goOn();
    expect(await firstDone).toBe('lost');
    posting.goOn();
    expect(await secondDone).toBe('done');
    await finish(second);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it('deleting the duplicate fails at first', async () => {
    const { slack, second, call: post } = await stopFirstIn('before', 'post');
    await wait(pastSettledMs);
    await second.works();
    post.landAndDie();
    slack.fail('remove', 2);
    slack.fail('findDuplicates', 2);
    await finish(second);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it('the second is killed before it records its post, and a third finds two', async () => {
    const { slack, second, call: firstPost } = await stopFirstIn('before', 'post');
    const third = replica(slack);
    await wait(pastSettledMs);
    const secondPost = slack.holdBefore('post');
    void second.works().catch(() => undefined);
    await secondPost.reached;
    firstPost.landAndDie();
    secondPost.landAndDie();
    await finish(third);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it('Slack rate-limits the second post, and the first arrives meanwhile', async () => {
    const { slack, second, call: post } = await stopFirstIn('before', 'post');
    await wait(pastSettledMs);
    slack.fail('post', 1, true);
    await second.works();
    post.landAndDie();
    await finish(second);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it('the first continues long after the last check for duplicates', async () => {
    const { slack, second, call: sleeping, firstDone } = await stopFirstIn('before', 'post');
    await finish(second);
    sleeping.goOn();
    expect(await firstDone).toBe('lost');
    await finish(second);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it("a suspicion that comes up while duplicates are looked for isn't forgotten", async () => {
    const { slack, second, call: sleeping, firstDone } = await stopFirstIn('before', 'post');
    await wait(pastSettledMs);
    await second.works();
    await wait(60_000);
    const looking = slack.holdAfter('findDuplicates');
    const secondDone = second.works();
    await looking.reached;
    sleeping.goOn();
    expect(await firstDone).toBe('lost');
    looking.goOn();
    await secondDone;
    await finish(second);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });
});

it.each([
  [0, 5_000],
  [5_000, 30_000],
  [29_999, 30_000],
  [30_000, null],
  [90_000, null],
])('%d ms after a suspicion the next check for duplicates is at %s', (afterMs, at) => {
  expect(nextCheckAt(0, afterMs)).toBe(at);
});
