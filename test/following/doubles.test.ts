import { beforeEach, expect, it } from 'vitest';
import { advance, type FollowingParts } from '../../src/following/advance.ts';
import { nextLookAt } from '../../src/following/doubles.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createConnections } from '../../src/store/connections.ts';

import { createRequestLeases, LeaseLost } from '../../src/store/request-leases.ts';
import { createRequests } from '../../src/store/requests.ts';
import { aRun } from '../support/builders.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { createHeldSlack } from './held-slack.ts';

const never = new AbortController().signal;
const pastSettledMs = 8_000;

describeOnEveryDatabase('two replicas that write for one request', (database) => {
  let run = aRun();
  beforeEach(async () => {
    await database().deleteFrom('requests').execute();
    const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    await createRequests(database()).accept({
      id: 'r1',
      ...asked,
      config: {},
      acceptedAt: Date.now(),
    });
    run = aRun({ updated_at: new Date().toISOString() });
  });

  /** A replica of its own, with the Slack that all share; its run has ended when it is asked for. */
  function replica(slack: ReturnType<typeof createHeldSlack>) {
    const leases = createRequestLeases(database());
    const unexpected = () => {
      throw new Error('not expected');
    };
    const parts: FollowingParts = {
      requests: createRequests(database()),
      leases,
      connections: createConnections(database()),
      runs: {
        create: (async () => ({ run_id: 'run-1', state: 'QUEUED' })) as never,
        get: (async () => run) as never,
        findCreated: unexpected,
      },
      messages: slack.messages,
      notices: slack.notices,
      logger: createLogger('silent'),
    };
    return {
      /** One claim and what comes of it; answers whether the lease was lost. */
      async works(): Promise<'done' | 'lost' | 'nothing to do'> {
        const [leased] = await leases.claim('somebody', 60_000, 1);
        if (!leased) return 'nothing to do';
        try {
          await leases.release(leased, await advance(parts, leased, never));
          return 'done';
        } catch (error) {
          if (error instanceof LeaseLost) return 'lost';
          throw error;
        }
      },
    };
  }

  const times = [
    'due_at',
    'lease_until',
    'post_began_at',
    'reply_began_at',
    'look_at',
    'doubted_at',
    'doubles_look_at',
    'show_again_at',
  ] as const;

  /** The same as waiting so long: every lease runs out, and what is due by then is due. */
  async function wait(ms: number): Promise<void> {
    for (const column of times)
      await database()
        .updateTable('requests')
        .set((row) => ({ [column]: row(column, '-', ms) }))
        .execute();
    await database().updateTable('requests').set({ lease_until: 0 }).execute();
  }

  /** Goes on until nothing is left to do, however long that takes. */
  async function finish(one: ReturnType<typeof replica>): Promise<void> {
    for (let round = 0; round < 12; round += 1) {
      await wait(60_000);
      await one.works();
    }
  }

  async function endRun(): Promise<void> {
    run = { ...run, state: 'SUCCEEDED' };
    const news = { news_json: JSON.stringify(run), news_at: 1, due_at: 1 };
    await database().updateTable('requests').set(news).execute();
  }

  it('the first is killed, and its post comes to stand after the second has posted', async () => {
    const slack = createHeldSlack();
    const [first, second] = [replica(slack), replica(slack)];
    const post = slack.holdBefore('post');
    void first.works().catch(() => undefined);
    await post.reached;
    await wait(pastSettledMs);
    expect(await second.works()).toBe('done');
    expect(slack.standing('run message')).toHaveLength(1);
    post.landAndDie();
    expect(slack.standing('run message')).toHaveLength(2);
    await finish(second);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it('the first sleeps in its post, and wakes between the look of the second and its post', async () => {
    const slack = createHeldSlack();
    const [first, second] = [replica(slack), replica(slack)];
    const sleeping = slack.holdBefore('post');
    const firstDone = first.works();
    await sleeping.reached;
    await wait(pastSettledMs);
    const posting = slack.holdBefore('post');
    const secondDone = second.works();
    await posting.reached;
    sleeping.goOn();
    expect(await firstDone).toBe('lost');
    posting.goOn();
    expect(await secondDone).toBe('done');
    expect(slack.standing('run message')).toHaveLength(2);
    await finish(second);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it('taking the double away fails at first', async () => {
    const slack = createHeldSlack();
    const [first, second] = [replica(slack), replica(slack)];
    const post = slack.holdBefore('post');
    void first.works().catch(() => undefined);
    await post.reached;
    await wait(pastSettledMs);
    await second.works();
    post.landAndDie();
    slack.fail('remove', 2);
    slack.fail('findDoubles', 2);
    await finish(second);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it('the second is killed before it could record its post, and a third finds two', async () => {
    const slack = createHeldSlack();
    const [first, second, third] = [replica(slack), replica(slack), replica(slack)];
    const firstPost = slack.holdBefore('post');
    void first.works().catch(() => undefined);
    await firstPost.reached;
    await wait(pastSettledMs);
    const secondPost = slack.holdBefore('post');
    void second.works().catch(() => undefined);
    await secondPost.reached;
    firstPost.landAndDie();
    secondPost.landAndDie();
    await finish(third);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it('Slack refuses the second post for its rate, and the first comes to stand meanwhile', async () => {
    const slack = createHeldSlack();
    const [first, second] = [replica(slack), replica(slack)];
    const post = slack.holdBefore('post');
    void first.works().catch(() => undefined);
    await post.reached;
    await wait(pastSettledMs);
    slack.fail('post', 1, true);
    await second.works();
    post.landAndDie();
    await finish(second);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it('the first wakes long after all looks for doubles are over', async () => {
    const slack = createHeldSlack();
    const [first, second] = [replica(slack), replica(slack)];
    const sleeping = slack.holdBefore('post');
    const firstDone = first.works();
    await sleeping.reached;
    await finish(second);
    sleeping.goOn();
    expect(await firstDone).toBe('lost');
    await finish(second);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it('a doubt that comes up while doubles are looked for is not forgotten', async () => {
    const slack = createHeldSlack();
    const [first, second] = [replica(slack), replica(slack)];
    const sleeping = slack.holdBefore('post');
    const firstDone = first.works();
    await sleeping.reached;
    await wait(pastSettledMs);
    await second.works();
    await wait(60_000);
    const looking = slack.holdAfter('findDoubles');
    const secondDone = second.works();
    await looking.reached;
    sleeping.goOn();
    expect(await firstDone).toBe('lost');
    looking.goOn();
    await secondDone;
    await finish(second);
    expect(slack.standing('run message')).toEqual([await recordedMessage()]);
  });

  it('the first is killed in its reply, which comes to stand after the second has replied', async () => {
    const slack = createHeldSlack();
    const [first, second] = [replica(slack), replica(slack)];
    await first.works();
    await endRun();
    const reply = slack.holdBefore('reply');
    void first.works().catch(() => undefined);
    await reply.reached;
    await wait(pastSettledMs);
    await second.works();
    reply.landAndDie();
    expect(slack.standing('reply')).toHaveLength(2);
    await finish(second);
    expect(slack.standing('reply')).toHaveLength(1);
  });

  it('the first is killed between its update and its reply', async () => {
    const slack = createHeldSlack();
    const [first, second] = [replica(slack), replica(slack)];
    await first.works();
    await endRun();
    const update = slack.holdAfter('update');
    void first.works().catch(() => undefined);
    await update.reached;
    await finish(second);
    expect(slack.standing('reply')).toHaveLength(1);
    expect(slack.shown()).toContain('SUCCEEDED');
  });

  it('the first is killed between its reply and the record of it', async () => {
    const slack = createHeldSlack();
    const [first, second] = [replica(slack), replica(slack)];
    await first.works();
    await endRun();
    const reply = slack.holdAfter('reply');
    void first.works().catch(() => undefined);
    await reply.reached;
    await finish(second);
    expect(slack.standing('reply')).toHaveLength(1);
  });

  it('an old update of a killed replica comes late, over the end that the second has shown', async () => {
    const slack = createHeldSlack();
    const [first, second] = [replica(slack), replica(slack)];
    const update = slack.holdBefore('update');
    void first.works().catch(() => undefined);
    await update.reached;
    await endRun();
    await wait(6_000);
    await second.works();
    expect(slack.shown()).toContain('SUCCEEDED');
    update.landAndDie();
    expect(slack.shown()).not.toContain('SUCCEEDED');
    await finish(second);
    expect(slack.shown()).toContain('SUCCEEDED');
  });

  it('an old update of a replica that slept comes late, while the second shows the end', async () => {
    const slack = createHeldSlack();
    const [first, second] = [replica(slack), replica(slack)];
    const sleeping = slack.holdBefore('update');
    const firstDone = first.works();
    await sleeping.reached;
    await endRun();
    await wait(6_000);
    const showing = slack.holdAfter('update');
    const secondDone = second.works();
    await showing.reached;
    sleeping.goOn();
    expect(await firstDone).toBe('lost');
    showing.goOn();
    await secondDone;
    expect(slack.shown()).not.toContain('SUCCEEDED');
    await finish(second);
    expect(slack.shown()).toContain('SUCCEEDED');
  });

  it('come to rest: once all is true nothing is due any more', async () => {
    const slack = createHeldSlack();
    const [first, second] = [replica(slack), replica(slack)];
    const sleeping = slack.holdBefore('update');
    const firstDone = first.works();
    await sleeping.reached;
    await endRun();
    await wait(6_000);
    await second.works();
    sleeping.goOn();
    await firstDone;
    await finish(second);
    expect(await second.works()).toBe('nothing to do');
  });

  async function recordedMessage(): Promise<string | null | undefined> {
    return (await createRequests(database()).find('r1'))?.messageTs;
  }
});

it.each([
  [0, 5_000],
  [5_000, 30_000],
  [29_999, 30_000],
  [30_000, null],
  [90_000, null],
])('%d ms after a doubt the next look for doubles comes at %s', (afterMs, at) => {
  expect(nextLookAt(0, afterMs)).toBe(at);
});
