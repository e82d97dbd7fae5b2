import { expect, it, onTestFinished } from 'vitest';
import { testKey } from '../../../packages/runs-service/test/support/runs-service.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { passTime } from '../../support/database/pass-time.ts';
import { startApiGate } from '../../support/network/api-gate.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  runMessagesIn,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const minutesMs = (minutes: number) => minutes * 60_000;

it('a run whose service rejects the key heals by itself; one that the service no longer knows is Unknown after five minutes, and Resume updates finds it again', async () => {
  const product = await startProduct();
  const { workspace, service, ada, config } = product;
  const gate = await startApiGate(service.apiUrl);
  await product.startBot({ runsApi: { baseUrl: gate.baseUrl, apiKey: testKey } });
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  await ada.types(general, '/agent run wait');
  const message = await runMessageShowing(workspace, 'In progress');
  const at = { channelId: general, messageTs: message.ts };
  const repliesIn = () =>
    workspace.messagesIn(general, { thread: message.ts }).filter(({ ts }) => ts !== message.ts);

  gate.answer(() => ({ status: 401, body: { detail: 'this key was revoked' } }));
  const told = textOf(await runMessageShowing(workspace, "rejected the app's API key"));
  expect(told).toContain('set a valid RUNS_API_KEY');
  expect(told).toContain('No updates since');
  gate.pass();
  const healed = await workspace.until(() => {
    const shown = runMessageIn(workspace);
    return textOf(shown).includes("rejected the app's API key") ? undefined : shown;
  });
  expect(textOf(healed)).toContain('In progress');

  // Nobody is told until the run has been missing for some time.
  const before = textOf(healed);
  const looks = () => gate.received.filter(({ url }) => /\/agent\/runs\/[^/?]+$/.test(url)).length;
  gate.forgetRuns();
  const known = looks();
  await expect.poll(looks).toBeGreaterThan(known + 1);
  expect([textOf(runMessageIn(workspace)), repliesIn()]).toEqual([before, []]);

  await passTime(db, minutesMs(5));
  const gone = await runMessageShowing(workspace, 'Unknown');
  expect(gone.ts).toBe(message.ts);
  expect(textOf(gone)).toContain('no longer has this run');
  expect(textOf(gone)).not.toContain('In progress');
  await workspace.until(() => repliesIn().length > 0);
  await passTime(db, minutesMs(10));
  await ada.clicks(at, 'run-message:follow-again');
  const still = await runMessageShowing(workspace, "still doesn't know this run");
  expect(textOf(still)).toContain('Unknown');

  gate.pass();
  await ada.clicks(at, 'run-message:follow-again');
  await runMessageShowing(workspace, 'In progress');
  await ada.clicks(at, 'run:cancel');
  await runMessageShowing(workspace, 'Canceled');
  await workspace.until(() => repliesIn().length > 1);
  expect(repliesIn().map(({ text }) => text)).toEqual([
    expect.stringContaining('no longer has this run'),
    expect.stringContaining('🚫 Canceled'),
  ]);
  expect(runMessagesIn(workspace)).toHaveLength(1);
});
