import { describe, expect, it } from 'vitest';
import { bundle } from '../test/support/bundle.ts';
import { general, runMessageIn, runMessagesIn, textOf } from '../test/support/product.ts';
import type { BotProcess } from './bot-process.ts';
import { startHeldCalls } from './held-calls.ts';
import { startPlant } from './plant.ts';

type Pair = { replica: BotProcess; calls: Awaited<ReturnType<typeof startHeldCalls>> };

const patience = { timeoutMs: 60_000 };

describe('replicas on one PostgreSQL', () => {
  const program = bundle('src/main.ts');
  const log = process.env['FAULT_LOG'];

  /** So many replicas, each with a way to Slack of its own. */
  async function start(count: number) {
    const plant = await startPlant('PostgreSQL');
    const all: Pair[] = [];
    for (let index = 0; index < count; index += 1) {
      const calls = await startHeldCalls(plant.workspace.apiUrl);
      const replica = plant.createReplica(program, { SLACK_API_URL: calls.apiUrl }, log);
      replica.start();
      all.push({ replica, calls });
    }
    await plant.untilConnected(2 * count);
    const ada = plant.workspace.as('ada');
    const ask = async (prompt: string) => {
      await ada.types(general, `/agent ${prompt}`);
      await plant.workspace.until(() => ada.modal(), patience);
      await ada.submits();
    };
    /** Stops the replica that makes the next call of this method, while that call is on its way. */
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
    return { ...plant, all, ask, freezeAt };
  }

  it('a replica that was frozen in the middle of a post leaves one message', async () => {
    const { workspace, ask, freezeAt } = await start(2);
    const freezing = freezeAt('chat.postMessage');
    await ask('quick');
    const { replica, calls } = await freezing;
    const posted = await workspace.until(() => runMessageIn(workspace), patience);
    const isOver = () => textOf(runMessageIn(workspace)).includes('Succeeded');
    await workspace.until(isOver, patience);
    calls.release();
    await workspace.until(() => runMessagesIn(workspace).length === 2, patience);
    replica.signal('SIGCONT');
    await workspace.until(() => runMessagesIn(workspace).length === 1, patience);
    expect(runMessageIn(workspace)?.ts).toBe(posted.ts);
    expect(isOver()).toBe(true);
  }, 120_000);

  it('a replica that was frozen in the middle of an update leaves no old state on the message', async () => {
    const { workspace, ask, freezeAt } = await start(2);
    const freezing = freezeAt('chat.update');
    await ask('long');
    const { replica, calls } = await freezing;
    const shows = (words: string) => textOf(runMessageIn(workspace)).includes(words);
    await workspace.until(() => shows('Succeeded'), patience);
    calls.release();
    await workspace.until(() => !shows('Succeeded'), patience);
    replica.signal('SIGCONT');
    await workspace.until(() => shows('Succeeded'), patience);
    expect(runMessagesIn(workspace)).toHaveLength(1);
  }, 120_000);

  it('the work of a replica that was killed goes on elsewhere', async () => {
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
    await workspace.until(() => textOf(runMessageIn(workspace)).includes('Succeeded'), patience);
    if (log)
      process.stdout.write(`taken over and ended ${Date.now() - killedAt} ms after the kill\n`);
    expect(runMessagesIn(workspace)).toHaveLength(1);
    expect(await db.selectFrom('requests').selectAll().execute()).toHaveLength(1);
  }, 120_000);
});
