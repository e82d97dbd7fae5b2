import { describe, expect, it, onTestFinished } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { clientOf } from '../../../packages/runs-service/test/support/runs-service.ts';
import { readAppScopes } from '../../../src/config/app-scopes.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { passTime } from '../../support/database/pass-time.ts';
import { homeOf } from '../../support/product/home.ts';
import {
  general,
  opensModal,
  runMessageShowing,
  runMessagesIn,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const { required, optional } = readAppScopes(false);
const all = [...required, ...optional];
/** A public and a private channel that the app isn't in. */
const [random, managers] = ['C04RANDOM01', 'C04MANAGERS'];

/** Starts a bot whose token lacks these scopes. `seen` returns everything that Ada can see. */
async function startWithout(missing: readonly string[]) {
  const product = await startProduct();
  const { workspace, ada, config } = product;
  const granted = all.filter((scope) => !missing.includes(scope));
  await workspace.faults.inject({ name: 'partial_scopes', granted });
  const { logger, lines } = createLineLogger();
  await product.startBot({}, logger, { personWaitMs: 100 });
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  const requests = () => db.selectFrom('requests').selectAll().execute();
  const places = [general, random, managers, ada.directChannelId];
  const seen = () => places.flatMap((channelId) => ada.sees(channelId)).map(textOf);
  /** Waits until every post was tried, then makes all of them due. */
  async function passMinute() {
    const rows = () => db.selectFrom('outbox').select(['lease_owner', 'due_at']).execute();
    const isAtRest = async () =>
      (await rows()).every(
        ({ lease_owner: owner, due_at: at }) => !owner && (at ?? now()) >= now(),
      );
    await expect.poll(isAtRest).toBe(true);
    await passTime(db, 61_000);
  }
  const home = () => textOf(ada.home()?.content);
  return { ...product, lines, requests, seen, home, passMinute };
}

const now = () => Date.now();

type Product = Awaited<ReturnType<typeof startWithout>>;

/** Ways to start a run. Each prompt ends with its key. */
const starts: Record<string, (product: Product) => Promise<unknown>> = {
  channel: ({ ada }) => ada.types(general, '/agent run count channel'),
  outside: ({ ada }) => ada.types(random, '/agent run count outside'),
  closed: ({ ada }) => ada.types(managers, '/agent run count closed'),
  mention: ({ ada, workspace }) => ada.types(general, `<@${workspace.bot.userId}> count mention`),
  direct: ({ ada }) => ada.types(ada.directChannelId, 'count direct'),
};

/** Starts that each missing scope makes impossible, because Slack offers no command or sends no event. */
const impossible: Record<string, readonly string[]> = {
  commands: ['channel', 'outside', 'closed'],
  'app_mentions:read': ['mention'],
  'im:history': ['direct'],
};

/** Home's text for people whom the app can't reach with messages. */
const inHome = "doesn't let the app post";
/** Matches the messages that tell Ada why nothing was started. */
const rejection = /with the scope `users:read`|The app can't post in this/i;

async function isTold(product: Product, word: string, isMute: boolean): Promise<boolean> {
  const { ada, workspace, seen, home } = product;
  if (seen().some((each) => each.includes(`Succeeded: count ${word}`))) return true;
  if (seen().some((each) => rejection.test(each))) return true;
  if (!isMute) return false;
  await ada.opensHome();
  await workspace.settled();
  return [inHome, `count ${word}`].every((words) => home().includes(words));
}

describe('a run without one of the scopes', () => {
  it.each(all)('ends, and its creator is told: %s', async (scope) => {
    const product = await startWithout([scope]);
    const words = Object.keys(starts).filter((word) => !impossible[scope]?.includes(word));
    for (const word of words) await starts[word]?.(product);
    for (const word of words)
      await expect
        .poll(() => isTold(product, word, scope === 'chat:write'), { timeout: 30_000 })
        .toBe(true);
    const steps = async () => (await product.requests()).map(({ step }) => step);
    await expect.poll(async () => (await steps()).every((step) => step === 'ended')).toBe(true);
  });
});

describe('an app that may not post', () => {
  it('tells who types a command or sends a form, and posts what it missed when it may again', async () => {
    const product = await startWithout(['chat:write']);
    const { ada, workspace, seen, lines, home } = product;
    await ada.types(general, '/agent run count by command');
    await workspace.until(() => seen().some((each) => each.includes("so there's no run message")));
    await opensModal(product, ada);
    await ada.submits({ prompt: 'count by form' });
    await workspace.until(() => textOf(ada.modal()).includes("so there's no run message"));
    await ada.closesModal();
    await expect.poll(async () => (await product.requests()).length).toBe(2);
    await ada.opensHome();
    const missed = "no message: Slack doesn't let the app post";
    await workspace.until(() => home().split(missed).length === 3);
    expect(home()).toContain("Slack granted 22 of 23 scopes.* The app can't post");
    expect(lines.filter(({ msg }) => msg.startsWith('Slack granted'))).toMatchObject([
      { level: 50, missing: ['chat:write'], msg: expect.stringContaining('22 of 23 scopes') },
    ]);
    const grace = await homeOf(product, 'grace');
    await grace.until("doesn't let the app post");
    expect(grace.text()).not.toContain('Slack granted');

    workspace.installAgain({ keepsToken: true });
    await ada.opensHome();
    await workspace.until(() => home() !== '' && !home().includes("doesn't let the app post"));
    expect(lines.findLast(({ msg }) => msg.startsWith('Slack granted'))).toMatchObject({
      msg: 'Slack granted all scopes',
    });
    await product.passMinute();
    const messages = () => textOf(runMessagesIn(workspace));
    await workspace.until(() => /by command.*by form|by form.*by command/.test(messages()));
    await workspace.until(() => messages().split('Succeeded: count by').length === 3);
  });

  it('updates the message of a run that ended meanwhile, with its one reply', async () => {
    const product = await startWithout([]);
    const { ada, workspace, service, requests } = product;
    await ada.types(general, '/agent run wait here');
    const { ts } = await runMessageShowing(workspace, 'In progress');
    await workspace.faults.inject({ name: 'partial_scopes', granted: ['users:read'] });
    const { request } = clientOf(service.apiUrl);
    const { runs } = (await (await request('/agent/runs')).json()) as {
      runs: [{ run_id: string }];
    };
    await request(`/agent/runs/${runs[0].run_id}/cancel`, { method: 'POST' });
    await expect.poll(async () => (await requests()).map(({ step }) => step)).toEqual(['ended']);
    await workspace.faults.inject({ name: 'partial_scopes' });
    await product.passMinute();
    expect((await runMessageShowing(workspace, 'Canceled')).ts).toBe(ts);
    await workspace.until(() => workspace.messagesIn(general, { thread: ts }).length === 2);
  });
});
