import { describe, expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import { passTime } from '../../support/database/pass-time.ts';
import { openTestDatabase } from '../../support/database/test-key.ts';
import { startApiGate } from '../../support/network/api-gate.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  runMessagesIn,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { testKey } from '../../support/runs-service.ts';

const minutesMs = (minutes: number) => minutes * 60_000;

/** A run that goes on, of a service that can be made to know it no more. */
async function startForgetful() {
  const product = await startProduct({ databaseUrl: await createPostgresDatabase() });
  const { workspace, service, ada, config } = product;
  const gate = await startApiGate(service.apiUrl);
  await product.startBot({ runsApi: { baseUrl: gate.baseUrl, apiKey: testKey } });
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  await ada.types(general, '/agent run wait');
  const message = await runMessageShowing(workspace, 'In progress');
  const looks = () => gate.received.filter(({ url }) => /\/agent\/runs\/[^/?]+$/.test(url)).length;
  /** Waits until the run itself was asked for once more. */
  const look = async () => {
    const before = looks();
    await expect.poll(looks).toBeGreaterThan(before);
  };
  const repliesIn = () =>
    workspace.messagesIn(general, { thread: message.ts }).filter(({ ts }) => ts !== message.ts);
  const at = { channelId: general, messageTs: message.ts };
  const clicksFollowAgain = () => ada.clicks(at, 'run-message:follow-again');
  return { ...product, gate, db, message, look, repliesIn, at, clicksFollowAgain };
}

describe('a run that its service does not know any more', () => {
  it('is looked for again while that is short, and nobody hears of it', async () => {
    const { workspace, gate, look, repliesIn, message, ada, at } = await startForgetful();
    const before = textOf(runMessageIn(workspace));
    gate.forgetRuns();
    await look();
    await look();
    await look();
    gate.pass();
    expect(textOf(runMessageIn(workspace))).toBe(before);
    expect(repliesIn()).toEqual([]);
    await ada.clicks(at, 'run:cancel');
    const ended = await runMessageShowing(workspace, 'Canceled');
    expect(ended.ts).toBe(message.ts);
  });

  it('counts as no longer known after five minutes: the message says so, and the thread is told once', async () => {
    const { workspace, gate, db, look, repliesIn, message } = await startForgetful();
    gate.forgetRuns();
    await look();
    await look();
    await passTime(db, minutesMs(5));
    const gone = await runMessageShowing(workspace, 'Unknown');
    expect(gone.ts).toBe(message.ts);
    expect(textOf(gone)).toContain('no longer knows this run');
    expect(textOf(gone)).not.toContain('In progress');
    await workspace.until(() => repliesIn().length > 0);
    await passTime(db, minutesMs(10));
    expect(repliesIn().map(({ text }) => text)).toEqual([
      expect.stringContaining('no longer knows this run'),
    ]);
    expect(runMessagesIn(workspace)).toHaveLength(1);
  });

  it('and is known again is followed to its end by Follow again, which is told as well', async () => {
    const { workspace, gate, db, look, repliesIn, at, ada, clicksFollowAgain } =
      await startForgetful();
    gate.forgetRuns();
    await look();
    await look();
    await passTime(db, minutesMs(5));
    await runMessageShowing(workspace, 'Unknown');
    await workspace.until(() => repliesIn().length === 1);
    await clicksFollowAgain();
    const still = await runMessageShowing(workspace, "still doesn't know this run");
    expect(textOf(still)).toContain('Unknown');
    gate.pass();
    await clicksFollowAgain();
    await runMessageShowing(workspace, 'In progress');
    await ada.clicks(at, 'run:cancel');
    await runMessageShowing(workspace, 'Canceled');
    await workspace.until(() => repliesIn().length === 2);
    expect(repliesIn().at(-1)?.text).toContain('canceled');
  });
});
