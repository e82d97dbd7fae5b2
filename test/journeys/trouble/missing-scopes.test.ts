import { describe, expect, it, onTestFinished } from 'vitest';
import { readAppScopes } from '../../../src/config/app-scopes.ts';
import { openTestDatabase } from '../../support/database/test-key.ts';
import { createLineLogger, general, startProduct, textOf } from '../../support/product/product.ts';

const { required, optional } = readAppScopes(false);
const all = [...required, ...optional];
/** Public, without the app; and private, without it. */
const [random, managers] = ['C04RANDOM01', 'C04MANAGERS'];

/** A bot whose token lacks these scopes, and everything that Ada can see of her runs. */
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
  return { ...product, lines, requests, seen, home: () => textOf(ada.home()?.content) };
}

type Product = Awaited<ReturnType<typeof startWithout>>;

/** Each way to start a run, by the word that its prompt ends in. */
const starts: Record<string, (product: Product) => Promise<unknown>> = {
  channel: ({ ada }) => ada.types(general, '/agent run count channel'),
  outside: ({ ada }) => ada.types(random, '/agent run count outside'),
  closed: ({ ada }) => ada.types(managers, '/agent run count closed'),
  mention: ({ ada, workspace }) => ada.types(general, `<@${workspace.bot.userId}> count mention`),
  direct: ({ ada }) => ada.types(ada.directChannelId, 'count direct'),
};

/** What makes a start impossible: Slack offers no commands, or sends no event. */
const impossible: Record<string, readonly string[]> = {
  commands: ['channel', 'outside', 'closed'],
  'app_mentions:read': ['mention'],
  'im:history': ['direct'],
};

/** Where nobody can be told in Slack's messages, Home says so. */
const inHome = "doesn't let the app post";
/** A refusal that names the scope. */
const refusal = 'it lacks the scope `users:read`';

async function isTold({ ada, workspace, seen, home }: Product, word: string): Promise<boolean> {
  if (seen().some((each) => each.includes(`Succeeded: count ${word}`))) return true;
  if (seen().filter((each) => each.includes(refusal)).length >= 1) return true;
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
      await expect.poll(() => isTold(product, word), { timeout: 15_000 }).toBe(true);
    const steps = async () => (await product.requests()).map(({ step }) => step);
    await expect.poll(async () => (await steps()).every((step) => step === 'ended')).toBe(true);
  });
});
