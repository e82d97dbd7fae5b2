import { expect, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import { passTime } from '../../support/database/pass-time.ts';
import { openTestDatabase } from '../../support/database/test-key.ts';
import {
  createLineLogger,
  general,
  runMessageShowing,
  startProduct,
} from '../../support/product/product.ts';

const aMinuteMs = 61_000;

/** A run that goes on, with its message, and every line that the bot logs. */
export async function startWithRun() {
  const product = await startProduct({ databaseUrl: await createPostgresDatabase() });
  const { workspace, service, ada, config } = product;
  const { logger, lines } = createLineLogger();
  const bot = await product.startBot({}, logger);
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  await ada.types(general, '/agent run wait');
  const message = await runMessageShowing(workspace, 'In progress');
  const headers = { authorization: 'Bearer test-key-of-ada-0123456789abcdefgh' };
  const endRun = async () => {
    const list = await (await fetch(`${service.apiUrl}/agent/runs`, { headers })).json();
    const [run] = (list as { runs: { run_id: string }[] }).runs;
    const url = `${service.apiUrl}/agent/runs/${run?.run_id}/cancel`;
    await fetch(url, { method: 'POST', headers });
  };
  const stored = () => db.selectFrom('requests').selectAll().orderBy('accepted_at').execute();
  const posts = () => db.selectFrom('outbox').selectAll().execute();
  /** Every notice is posted, and nothing waits. */
  const untilTold = async () => {
    const isTold = async () =>
      (await posts()).every(({ kind, state, due_at }) =>
        kind === 'end' ? state === 'done' : due_at === null,
      );
    await expect.poll(isTold).toBe(true);
  };
  /** Waits until the store shows this of all requests. */
  const untilStored = async (is: (row: Awaited<ReturnType<typeof stored>>[number]) => boolean) => {
    await expect.poll(async () => (await stored()).every(is)).toBe(true);
  };
  /** Everything that waits has been tried, and given back. */
  const isAtRest = (row: { lease_owner: string | null; due_at: number | null }) =>
    row.lease_owner === null && (row.due_at === null || row.due_at > Date.now());
  const passMinute = async () => {
    await untilStored(isAtRest);
    await expect.poll(async () => (await posts()).every(isAtRest)).toBe(true);
    await passTime(db, aMinuteMs);
  };
  const repliesTo = (ts: string) =>
    workspace.messagesIn(general, { thread: ts }).filter((each) => each.ts !== ts);
  return {
    ...product,
    bot,
    lines,
    message,
    endRun,
    stored,
    untilStored,
    untilTold,
    passMinute,
    repliesTo,
  };
}

type Started = Awaited<ReturnType<typeof startWithRun>>;

/** What an operator must act on, without what other journeys are about. */
export const errorsIn = (lines: Started['lines']) => lines.filter(({ level }) => level >= 40);
