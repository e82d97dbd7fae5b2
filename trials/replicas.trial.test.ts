import { describe, expect, it } from 'vitest';
import { bundleSlashAgent } from '../packages/base/test/support/bundle.ts';
import { general, runMessageIn, runMessagesIn, textOf } from '../test/support/product/product.ts';
import type { BotProcess } from './bot-process.ts';
import { startHeldCalls } from './held-calls.ts';
import { startTestBed } from './test-bed.ts';

type Pair = { replica: BotProcess; calls: Awaited<ReturnType<typeof startHeldCalls>> };

const longWait = { timeoutMs: 150_000 };

describe('replicas on one PostgreSQL', () => {
  const program = bundleSlashAgent();
  const log = process.env['FAULT_LOG'];

  /** Starts replicas, each with its own proxy to Slack. */
  async function start(count: number) {
    const testBed = await startTestBed('PostgreSQL');
    const all: Pair[] = [];
    for (let index = 0; index < count; index += 1) {
      const calls = await startHeldCalls(testBed.workspace.apiUrl);
      const replica = testBed.createReplica(program, { SLACK_API_URL: calls.apiUrl }, log);
      replica.start();
      all.push({ replica, calls });
    }
    await testBed.untilConnected(2 * count);
    const ada = testBed.workspace.as('ada');
    const ask = async (prompt: string) => {
      await ada.types(general, `/agent ${prompt}`);
      const view = await testBed.workspace.until(() => ada.modal(), longWait);
      // Submit until it's accepted, because on a busy machine people have to submit again.
      while (ada.modal()?.id === view.id) await ada.submits();
    };
    /** Freezes the replica that makes the next call of this method, during the call. */
    const freezeAt = async (method: string) => {
      const caught = all.map(async (each) => {
        await each.calls.hold(method);
        return each;
      });
      const frozen = await Promise.race(caught);
      frozen.replica.signal('SIGSTOP');
      for (const each of all) if (each !== frozen) each.calls.release();
      return frozen;
    };
    return { ...testBed, all, ask, freezeAt };
  }

  it('leave one message if a replica freezes during a post', async () => {
    const { workspace, ask, freezeAt } = await start(2);
    const freezing = freezeAt('chat.postMessage');
    await ask('quick');
    const { replica, calls } = await freezing;
    const posted = await workspace.until(() => runMessageIn(workspace), longWait);
    const isOver = () => textOf(runMessageIn(workspace)).includes('Succeeded');
    await workspace.until(isOver, longWait);
    calls.release();
    await workspace.until(() => runMessagesIn(workspace).length === 2, longWait);
    replica.signal('SIGCONT');
    await workspace.until(() => runMessagesIn(workspace).length === 1, longWait);
    expect(runMessageIn(workspace)?.ts).toBe(posted.ts);
    expect(isOver()).toBe(true);
  });

  it('leave no old state on a message if a replica freezes during an update', async () => {
    const { workspace, ask, freezeAt } = await start(2);
    const freezing = freezeAt('chat.update');
    await ask('long');
    const { replica, calls } = await freezing;
    const shows = (words: string) => textOf(runMessageIn(workspace)).includes(words);
    await workspace.until(() => shows('Succeeded'), longWait);
    calls.release();
    await workspace.until(() => !shows('Succeeded'), longWait);
    replica.signal('SIGCONT');
    await workspace.until(() => shows('Succeeded'), longWait);
    expect(runMessagesIn(workspace)).toHaveLength(1);
  });

  it('take over the work of a killed replica', async () => {
    const { workspace, ask, all, db } = await start(3);
    const freezing = Promise.race(
      all.map(async (each) => {
        await each.calls.hold('chat.postMessage');
        return each;
      }),
    );
    await ask('quick');
    const { replica } = await freezing;
    for (const each of all) if (each.replica !== replica) each.calls.release();
    await replica.stop();
    const killedAt = Date.now();
    await workspace.until(() => textOf(runMessageIn(workspace)).includes('Succeeded'), longWait);
    if (log)
      process.stdout.write(
        `Another replica finished the run ${Date.now() - killedAt} ms after the kill\n`,
      );
    expect(runMessagesIn(workspace)).toHaveLength(1);
    expect(await db.selectFrom('requests').selectAll().execute()).toHaveLength(1);
  });
});
