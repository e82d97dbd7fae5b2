import { afterEach, expect, it, vi } from 'vitest';
import { createOutboxLeases } from '../../src/store/outbox/outbox-leases.ts';
import type { PostChanges } from '../../src/store/outbox/outbox-row.ts';
import { describeOnDatabase } from '../support/database/databases.ts';
import { createHeldSlack } from './held-slack.ts';
import { pastSettledMs, pauseIn, useReplicas } from './replicas.ts';

/** Longer than the time for which a confirmed lease is trusted. */
const aSleepMs = 2_000;

type Recorded = (lease: { id: string }, changes: PostChanges) => boolean;
const beginsPost: Recorded = (_, { beganAt }) => typeof beganAt === 'number';
const beginsReply: Recorded = ({ id }, { beganAt }) => id !== 'r1' && typeof beganAt === 'number';
const beginsUpdate: Recorded = (_, { shown }) => shown === null;

describeOnDatabase('a replica that was frozen past its lease', (database) => {
  const { replica, stopFirstIn, wait, finish, endRun, stored, message, recordedMessage, created } =
    useReplicas(database);
  afterEach(() => void vi.useRealTimers());
  const leases = () => createOutboxLeases(database());

  it('before it began a post posts nothing afterwards', async () => {
    const slack = createHeldSlack();
    const begin = pauseIn(leases(), 'record', 'before', beginsPost);
    const [first, second] = [replica(slack, { leases: begin.part }), replica(slack)];
    const firstDone = first.works();
    await begin.reached;
    await wait(pastSettledMs);
    expect(await second.works()).toBe('done');
    begin.goOn();
    expect(await firstDone).toBe('lost');
    expect(slack.standing('run message')).toHaveLength(1);
  });

  it('between recording that a post begins and the post posts nothing afterwards', async () => {
    const slack = createHeldSlack();
    const begin = pauseIn(leases(), 'record', 'after', beginsPost);
    const [first, second] = [replica(slack, { leases: begin.part }), replica(slack)];
    vi.useFakeTimers({ toFake: ['Date'] });
    const firstDone = first.works();
    await begin.reached;
    await wait(pastSettledMs);
    expect(await second.works()).toBe('done');
    vi.setSystemTime(Date.now() + aSleepMs);
    begin.goOn();
    expect(await firstDone).toBe('lost');
    expect(slack.standing('run message')).toHaveLength(1);
  });

  it('between its post and recording it writes nothing afterwards, and creates no run', async () => {
    const { slack, second, call: post, firstDone } = await stopFirstIn('after', 'post');
    await wait(pastSettledMs);
    expect(await second.works()).toBe('done');
    const before = await recordedMessage();
    post.goOn();
    expect(await firstDone).toBe('lost');
    expect(await stored()).toMatchObject({ step: 'following' });
    expect(await recordedMessage()).toBe(before);
    expect(slack.standing('run message')).toEqual([before]);
    expect(created()).toBe(1);
  });

  it("before an update doesn't overwrite the end that was shown", async () => {
    const slack = createHeldSlack();
    const update = pauseIn(leases(), 'record', 'before', beginsUpdate);
    const [first, second] = [replica(slack, { leases: update.part }), replica(slack)];
    const firstDone = first.works();
    await update.reached;
    await endRun();
    await wait(pastSettledMs);
    expect(await second.works()).toBe('done');
    update.goOn();
    expect(await firstDone).toBe('lost');
    expect(slack.shown()).toContain('SUCCEEDED');
  });

  it('in an update that arrives long after everything was done has the end shown again', async () => {
    const { slack, second, call: update, firstDone } = await stopFirstIn('before', 'update');
    await endRun();
    await finish(second);
    update.goOn();
    expect(await firstDone).toBe('lost');
    expect(slack.shown()).not.toContain('SUCCEEDED');
    await finish(second);
    expect(slack.shown()).toContain('SUCCEEDED');
  });

  it('has the end shown again also if it never learns that the update arrived', async () => {
    const { slack, second, call: update, firstDone } = await stopFirstIn('before', 'update');
    await endRun();
    await finish(second);
    update.goOnLost();
    expect(await firstDone).toBe('lost');
    expect(slack.shown()).not.toContain('SUCCEEDED');
    await finish(second);
    expect(slack.shown()).toContain('SUCCEEDED');
  });

  it('between an update and its release overwrites nothing that was shown since', async () => {
    const { second, call: update, firstDone } = await stopFirstIn('after', 'update');
    await endRun();
    await wait(pastSettledMs);
    expect(await second.works()).toBe('done');
    const before = await message();
    update.goOn();
    expect(await firstDone).toBe('lost');
    expect((await message())?.shown).toBe(before?.shown);
  });

  /** Stops one replica where it begins the end reply. Another replica posts the reply meanwhile. */
  async function sleepInReply(when: 'before' | 'after', changes = {}) {
    const slack = createHeldSlack();
    const begin = pauseIn({ ...leases(), ...changes }, 'record', when, beginsReply);
    const second = replica(slack);
    const first = replica(slack, { leases: begin.part });
    await second.works();
    await endRun();
    vi.useFakeTimers({ toFake: ['Date'] });
    const firstDone = first.works();
    await begin.reached;
    await wait(pastSettledMs);
    expect(await second.works()).toBe('done');
    expect(slack.standing('reply')).toHaveLength(1);
    vi.setSystemTime(Date.now() + aSleepMs);
    begin.goOn();
    expect(await firstDone).toBe('lost');
    return slack.standing('reply');
  }

  it('before it began its reply posts nothing afterwards', async () => {
    expect(await sleepInReply('before')).toHaveLength(1);
  });

  it('before it began its reply sees that the reply exists, whatever its lease says', async () => {
    const trusting = { check: async () => undefined };
    expect(await sleepInReply('before', trusting)).toHaveLength(1);
  });

  it('between recording that a reply begins and the reply posts nothing afterwards', async () => {
    expect(await sleepInReply('after')).toHaveLength(1);
  });

  it('while it looked for duplicates deletes none that has become the message since', async () => {
    const { slack, second, call: post } = await stopFirstIn('before', 'post');
    await wait(pastSettledMs);
    await second.works();
    post.landAndDie();
    const both = slack.standing('run message');
    await wait(60_000);
    const looking = slack.holdAfter('findDuplicates');
    const secondDone = second.works();
    await looking.reached;
    await wait(pastSettledMs);
    const [lease] = await leases().claim('third', 60_000, 1);
    if (!lease?.place) throw new Error('nothing to take over');
    const { place } = lease;
    const moved = both.find((ts) => ts !== place.ts) ?? '';
    await leases().record(lease, { place: { ...place, ts: moved } });
    looking.goOn();
    expect(await secondDone).toBe('lost');
    expect(slack.standing('run message')).toContain(moved);
  });
});

describeOnDatabase('a replica that is killed', (database) => {
  const { replica, endRun, stored } = useReplicas(database);

  it('in its reply has stored the end before, also without a message', async () => {
    const slack = createHeldSlack();
    const first = replica(slack);
    await first.works();
    const lost = { state: 'done', channel_id: null, ts: null };
    await database().updateTable('outbox').set(lost).execute();
    await endRun();
    const reply = slack.holdBefore('reply');
    void first.works().catch(() => undefined);
    await reply.reached;
    expect(await stored()).toMatchObject({ step: 'ended', run: { state: 'SUCCEEDED' } });
  });
});
