import { fileURLToPath } from 'node:url';
import type { Actor } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { describe, expect, it } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { stubbedProduct } from '../../support/product/stubbed-product.ts';

type Product = Awaited<ReturnType<typeof startProduct>>;

const setStatus = 'agents.sessions.setStatus';

const manifest = readManifest(fileURLToPath(new URL('../../../manifest.yml', import.meta.url)));
const { agent_view: _, ...features } = manifest.features;
const undeclared = { ...manifest, features };

/** Returns the statuses that the app set, in order. */
const statusesIn = ({ workspace }: Pick<Product, 'workspace'>) =>
  workspace.traffic
    .recent()
    .filter(({ name }) => name === setStatus)
    .map(({ request }) => String(Object(request).status));

const isToldWhomToAsk = ({ workspace, grace }: Pick<Product, 'workspace' | 'grace'>) =>
  textOf(workspace.messagesIn(general).filter(({ visibleTo }) => visibleTo)).includes(
    `Only <@${grace.person.id}>`,
  );

async function startsRun(
  { workspace }: Pick<Product, 'workspace'>,
  person: Actor,
  prompt = 'wait',
) {
  await person.types(general, `/agent run ${prompt}`);
  const message = await runMessageShowing(workspace, 'In progress');
  await workspace.until(() => workspace.sessionStatus(general, message.ts) === 'processing');
  return message;
}

describe("the agent session of a run's thread", () => {
  it('shows the work and ends with it, with one call each, and says why it continues once Slack takes calls again', async () => {
    const product = await startedProduct();
    const { workspace, grace } = product;
    const { ts } = await startsRun(product, grace);
    const [first] = workspace.traffic.recent().filter(({ name }) => name === setStatus);
    expect(first?.request).toMatchObject({ title: 'wait', initiator_user_id: grace.person.id });
    const fault = { name: 'rate_limited', retryAfterSeconds: 1 } as const;
    await workspace.faults.inject({ ...fault, method: 'chat.postEphemeral' });
    await workspace.faults.inject({ ...fault, method: 'chat.postMessage' });
    await workspace.as('alan').stops(general, ts);
    await workspace.until(() => isToldWhomToAsk(product));
    await expect.poll(() => statusesIn(product)).toEqual(['processing', 'processing']);
    expect(textOf(runMessageIn(workspace))).not.toContain('Canceling');
    await grace.stops(general, ts);
    const ended = await runMessageShowing(workspace, 'Canceled');
    expect(textOf(ended)).toContain(`by <@${grace.person.id}>`);
    // A reply continues the conversation.
    await workspace.until(() => workspace.sessionStatus(general, ts) === 'active');
    await expect.poll(() => statusesIn(product)).toEqual(['processing', 'processing', 'active']);
  });

  it.each([
    ['Stop', (alan: Actor, threadTs: string) => alan.stops(general, threadTs)],
    ['stop', (alan: Actor, threadTs: string) => alan.types(general, '@agent stop', { threadTs })],
  ])('stops nothing that starts while Slack takes no answer to a rejected %s', async (_, stop) => {
    const product = await startedProduct();
    const { workspace, grace } = product;
    const alan = workspace.as('alan');
    const { message } = await grace.types(general, 'The login is broken');
    const threadTs = message?.ts ?? '';
    await grace.types(general, '@agent wait for me', { threadTs });
    await workspace.until(() => workspace.sessionStatus(general, threadTs) === 'processing');
    const answers = { method: 'chat.postEphemeral', times: 10_000 } as const;
    await workspace.faults.inject({ name: 'rate_limited', retryAfterSeconds: 1, ...answers });
    await stop(alan, threadTs);
    await workspace.until(() =>
      workspace.traffic.recent().some(({ name }) => name === 'chat.postEphemeral'),
    );
    await alan.usesMessageShortcut('message-shortcut:run', { channelId: general, ts: threadTs });
    await workspace.until(() => alan.modal());
    await alan.submits({ prompt: 'wait for Alan' });
    await workspace.until(() =>
      textOf(workspace.messagesIn(general, { thread: threadTs })).includes(
        'In progress: wait for Alan',
      ),
    );
    workspace.faults.clear();
    await workspace.until(() => isToldWhomToAsk(product));
    const db = await openTestDatabase(product.config.databaseUrl);
    const canceled = db
      .selectFrom('requests')
      .select('id')
      .where('cancel_asked_at', 'is not', null);
    expect(await canceled.execute()).toEqual([]);
    await db.destroy();
  });

  it('waits with a run that needs input, asks the service once however often Stop is delivered, and is open for more in a direct message', async () => {
    const { api, ...product } = await stubbedProduct('INPROGRESS');
    const { workspace, ada } = product;
    const direct = ada.directChannelId;
    const { message } = await ada.types(direct, 'count the files');
    const ts = message?.ts ?? '';
    const isNow = (status: string) =>
      workspace.until(() => workspace.sessionStatus(direct, ts) === status);
    await isNow('processing');
    api.answers('BLOCKED');
    await isNow('suspended');
    api.answers('INPROGRESS');
    await isNow('processing');
    await expect.poll(() => statusesIn(product)).toEqual(['processing', 'suspended', 'processing']);
    await workspace.faults.inject({ name: 'delivered_twice', kind: 'events_api', times: 3 });
    await Promise.all([1, 2, 3].map(() => ada.stops(direct, ts)));
    await expect.poll(() => api.canceled).not.toEqual([]);
    await workspace.settled();
    expect(api.canceled).toHaveLength(1);
    expect(workspace.messagesIn(direct).filter(({ visibleTo }) => visibleTo)).toEqual([]);
    api.answers('SUCCEEDED');
    await isNow('active');
  });

  it('goes to the thread of the message that replaces the run message, and rests in the other', async () => {
    const { api, ...product } = await stubbedProduct('INPROGRESS');
    const { workspace, grace } = product;
    const { ts } = await startsRun(product, grace);
    await workspace.faults.inject({ name: 'edit_window_closed', channel: general, ts });
    api.answers('BLOCKED');
    const { ts: newTs } = await runMessageShowing(workspace, 'Needs input');
    await workspace.until(() => workspace.sessionStatus(general, newTs) === 'suspended');
    const db = await openTestDatabase(product.config.databaseUrl);
    const sessions = db.selectFrom('outbox').select('due_at').where('kind', '=', 'agent-session');
    const resting = [{ due_at: null }, { due_at: null }];
    await expect.poll(() => sessions.execute()).toEqual(resting);
    expect(statusesIn(product)).toEqual(['processing', 'suspended']);
    await db.destroy();
  });

  it('is at the start of the thread, also of a deleted message, and set again when it is unknown whether Slack did', async () => {
    const product = await startedProduct();
    const { workspace, grace } = product;
    const { message } = await grace.types(general, 'The login is broken');
    const threadTs = message?.ts ?? '';
    await grace.types(general, 'Since this morning', { threadTs });
    await grace.deletes(general, threadTs);
    await workspace.faults.inject({ name: 'answer_lost', method: setStatus });
    await workspace.faults.inject({ name: 'server_error', method: setStatus });
    await grace.types(general, '@agent wait for me', { threadTs });
    await expect.poll(() => statusesIn(product).length).toBeGreaterThan(2);
    await workspace.until(() => workspace.sessionStatus(general, threadTs) === 'processing');
    await grace.stops(general, threadTs);
    await workspace.until(() => workspace.sessionStatus(general, threadTs) === 'closed');
  });

  it('ends with the run though Slack rejected its status while the app was not in the channel', async () => {
    const { api, ...product } = await stubbedProduct('INPROGRESS');
    const { workspace, grace } = product;
    const { message } = await grace.types(general, 'The login is broken');
    const threadTs = message?.ts ?? '';
    await grace.types(general, '@agent wait for me', { threadTs });
    const isNow = (status: string) =>
      workspace.until(() => workspace.sessionStatus(general, threadTs) === status);
    await isNow('processing');
    await workspace.faults.inject({ name: 'app_removed_from_channel', channel: general });
    api.answers('BLOCKED');
    await expect.poll(() => statusesIn(product)).toContain('suspended');
    const channel = workspace.channels.find(({ id }) => id === general);
    channel?.memberIds.push(workspace.bot.userId);
    api.answers('SUCCEEDED');
    await isNow('closed');
  });

  it('is left out, with one line in the log, where Slack has none', async () => {
    const { logger, lines } = createLineLogger();
    const { workspace, startBot, grace } = await startProduct({}, { manifest: undeclared });
    await startBot({}, logger);
    await grace.types(general, '/agent run first');
    await runMessageShowing(workspace, 'first');
    await runMessageShowing(workspace, 'Succeeded');
    await grace.types(general, '/agent run second');
    await runMessageShowing(workspace, 'second');
    await runMessageShowing(workspace, 'Succeeded');
    expect(lines.filter(({ msg }) => msg.includes('agent sessions'))).toHaveLength(1);
    await expect.poll(() => statusesIn({ workspace })).toHaveLength(1);
  });
});
