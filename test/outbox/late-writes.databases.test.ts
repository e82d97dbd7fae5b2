import { expect, it } from 'vitest';
import { describeOnDatabase } from '../support/database/databases.ts';
import { createHeldSlack } from './held-slack.ts';
import { pastSettledMs, useReplicas } from './replicas.ts';

describeOnDatabase('two replicas at the end of a run', (database) => {
  const { replica, stopFirstIn, wait, finish, endRun } = useReplicas(database);

  it('the first is killed in its reply, which arrives after the second has replied', async () => {
    const slack = createHeldSlack();
    await replica(slack).works();
    await endRun();
    const { second, call: reply } = await stopFirstIn('before', 'reply', slack);
    await wait(pastSettledMs);
    await second.works();
    reply.landAndDie();
    expect(slack.standing('reply')).toHaveLength(2);
    await finish(second);
    expect(slack.standing('reply')).toHaveLength(1);
  });

  it('the first is killed between its update and its reply', async () => {
    const slack = createHeldSlack();
    await replica(slack).works();
    await endRun();
    const { second } = await stopFirstIn('after', 'update', slack);
    await finish(second);
    expect(slack.standing('reply')).toHaveLength(1);
    expect(slack.shown()).toContain('SUCCEEDED');
  });

  it('the first is killed between its reply and recording it', async () => {
    const slack = createHeldSlack();
    await replica(slack).works();
    await endRun();
    const { second } = await stopFirstIn('after', 'reply', slack);
    await finish(second);
    expect(slack.standing('reply')).toHaveLength(1);
  });

  it('an old update of a killed replica arrives late and hides the end that the second has shown', async () => {
    const { slack, second, call: update } = await stopFirstIn('before', 'update');
    await endRun();
    await wait(6_000);
    await second.works();
    expect(slack.shown()).toContain('SUCCEEDED');
    update.landAndDie();
    expect(slack.shown()).not.toContain('SUCCEEDED');
    await finish(second);
    expect(slack.shown()).toContain('SUCCEEDED');
  });

  it('an old update of a frozen replica arrives late, while the second shows the end', async () => {
    const { slack, second, call: sleeping, firstDone } = await stopFirstIn('before', 'update');
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

  it('end with nothing due', async () => {
    const { second, call: sleeping, firstDone } = await stopFirstIn('before', 'update');
    await endRun();
    await wait(6_000);
    await second.works();
    sleeping.goOn();
    await firstDone;
    await finish(second);
    expect(await second.works()).toBe('nothing to do');
  });
});
