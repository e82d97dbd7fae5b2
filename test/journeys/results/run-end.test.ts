import { hourAt } from 'base/time/local-time';
import type { Message } from 'slack-stand-in';
import { expect, it } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
  testKey,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import {
  general,
  picks,
  runMessageShowing,
  runMessagesIn,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { savesSettings } from '../../support/product/settings.ts';

type Product = Awaited<ReturnType<typeof startProduct>>;

const at = (message: Message) => ({ channelId: general, messageTs: message.ts });

async function startRun({ workspace, grace }: Product, prompt: string): Promise<Message> {
  await grace.types(general, `/agent ${prompt}`);
  await workspace.until(() => grace.modal());
  await grace.submits();
  return runMessageShowing(workspace, prompt);
}

const repliesTo = ({ workspace }: Product, { ts }: Message) =>
  workspace
    .messagesIn(general, { thread: ts })
    .filter(({ threadTs, visibleTo }) => threadTs === ts && !visibleTo);

/** Returns the notifications that people get in the threads of a channel. */
const repliesIn = ({ workspace }: Product, channelId: string) =>
  workspace
    .messagesIn(channelId)
    .filter(({ text, visibleTo }) => /^(✅ Succeeded|🚫 Canceled)/u.test(text) && !visibleTo);

const firstReply = (product: Product, message: Message) =>
  product.workspace.until(() => repliesTo(product, message)[0]);

/** Saves settings by field, such as `person:reply`. */
async function saveSettings(product: Product, values: Record<string, string>) {
  const scope = Object.keys(values)[0]?.startsWith('channel:') ? 'channel' : 'person';
  await savesSettings(product, product.grace, `${scope}:notifications`, values);
}

it('notifications of the end go where the settings say, once each, and wait for the end of quiet hours', async () => {
  const product = await startedProduct();
  const { workspace, grace, ada } = product;
  const told = () => [repliesIn(product, general).length, directMessagesOf(product).length];

  await saveSettings(product, { 'channel:reply': 'both', 'channel:to_channel': 'yes' });
  const both = await startRun(product, 'wait for both');
  await runMessageShowing(workspace, 'In progress');
  await workspace.faults.inject({ name: 'answer_lost', method: 'chat.postMessage' });
  await ada.clicks(at(both), 'run:cancel');
  expect((await firstReply(product, both)).isBroadcast).toBe(true);
  await workspace.until(() => directMessagesOf(product).length > 0);
  await runMessageShowing(workspace, 'Canceled');

  // With notifications off, only people who selected Notify me are told.
  await saveSettings(product, { 'channel:reply': 'none', 'channel:to_channel': 'no' });
  const none = await startRun(product, 'wait for no one');
  await runMessageShowing(workspace, 'In progress');
  await picks(product, ada, at(none), 'Notify me');
  await grace.clicks(at(none), 'run:cancel');
  const { blocks } = await firstReply(product, none);
  expect(textOf(blocks).match(/<@\w+>/g)).toEqual([`<@${ada.person.id}>`]);
  expect(told()).toEqual([2, 1]);

  await saveSettings(product, { 'person:reply': 'direct' });
  await startRun(product, 'count directly');
  await workspace.until(() => directMessagesOf(product).length > 1);
  const direct = directMessagesOf(product).at(-1);
  expect(direct?.text).toContain('✅ Succeeded: count directly');
  // The direct message names the run, because it isn't in the thread of the run message.
  expect(textOf(direct?.blocks)).toMatch(/✅ Succeeded in [^·]+: \*count directly\*/);

  const hour = hourAt(Date.now(), grace.person.timeZone);
  await saveSettings(product, {
    'person:quiet_from': String(hour),
    'person:quiet_until': String((hour + 2) % 24),
  });
  const said = await grace.types(general, `<@${workspace.bot.userId}> count quietly`);
  const source = () => workspace.messagesIn(general).find(({ ts }) => ts === said.message?.ts);
  await runMessageShowing(workspace, 'Succeeded: count quietly');
  // The reaction is added after the notifications are planned.
  await workspace.until(() => textOf(source()?.reactions).includes('white_check_mark'));
  await workspace.settled();
  expect(told()).toEqual([2, 2]);
});

it('when a run ends, one reply in its thread mentions the creator and has the answer or the reason, and the source message gets a reaction', async () => {
  const script = `case "$AGENT_PROMPT" in
    fail*) echo "the tests do not pass" >&2; exit 3;;
    long*) for i in 1 2 3 4 5 6 7 8 9 10; do printf "%01900d\\n" $i; done;;
    *) echo "done: $AGENT_PROMPT";;
  esac`;
  const { service } = await startRunsService({
    environments: [shellEnvironment(script, { default: true })],
  });
  const product = await startedProduct({ runsApi: { baseUrl: service.apiUrl, apiKey: testKey } });
  const { workspace, grace } = product;
  const succeeded = await firstReply(product, await startRun(product, 'count'));
  expect(succeeded.text).toBe('✅ Succeeded: count · done: count');
  // The reply doesn't repeat the answer, because the run message has it.
  expect(textOf(succeeded.blocks)).toMatch(
    new RegExp(`<@${grace.person.id}> ✅ Succeeded in [^·]+"`),
  );
  expect(textOf(succeeded.blocks)).not.toContain('done: count');

  const long = await startRun(product, 'long');
  const file = await workspace.until(
    () => repliesTo(product, long).find(({ files }) => files)?.files?.[0],
  );
  expect(file).toMatchObject({ title: 'Answer: long', size: 19_009 });

  const failing = await startRun(product, 'fail please');
  const failed = await firstReply(product, failing);
  expect(failed.text).toBe('❌ Failed: fail please · the tests do not pass');
  expect(textOf(failed.blocks)).toMatch(/❌ Failed after [^·]+ {2}· {2}the tests do not pass"/);
  expect(textOf(failed.blocks)).not.toContain('exited with code 3');
  await grace.clicks({ channelId: general, messageTs: failing.ts }, 'run:again');
  await workspace.until(() => runMessagesIn(workspace).length === 4);

  const { message } = await grace.types(general, 'please count');
  const ts = message?.ts ?? '';
  await grace.usesMessageShortcut('message-shortcut:run', { channelId: general, ts });
  await workspace.until(() => grace.modal());
  expect(await grace.submits()).toEqual({});
  await workspace.until(
    () => message?.reactions.map(({ name }) => name).join() === 'white_check_mark',
  );
});

it("the reply at the end mentions who selected Notify me, and is posted once after a restart, even if Slack's answer is lost", async () => {
  const product = await startProduct();
  const bot = await product.startBot();
  const { workspace, ada, grace } = product;
  const message = await startRun(product, 'wait');
  await runMessageShowing(workspace, 'In progress');
  await picks(product, ada, at(message), 'Notify me');
  await picks(product, ada, at(message), 'Notify me');
  await picks(product, grace, at(message), 'Notify me');
  const toldGrace = (words: string) =>
    workspace.until(() =>
      workspace
        .messagesIn(general)
        .find(({ visibleTo, text }) => visibleTo === grace.person.id && text.includes(words)),
    );
  const told = await toldGrace('');
  await grace.clicks({ channelId: general, messageTs: told.ts }, 'run-message:do-not-notify');
  await toldGrace("won't get a notification");

  const posts = { method: 'chat.postMessage' } as const;
  await workspace.faults.inject({ name: 'server_error', ...posts, times: 10_000 });
  await ada.clicks(at(message), 'run:cancel');
  const shown = await runMessageShowing(workspace, 'Canceled');
  expect(textOf(shown)).toContain(`by <@${ada.person.id}>`);
  // Wait for earlier deliveries, because Slack would otherwise wait for their acknowledgement during the stop.
  await workspace.settled();
  await bot.stop();
  workspace.faults.clear();
  await workspace.faults.inject({ name: 'answer_lost', ...posts });
  await product.startBot();
  const { text, blocks } = await firstReply(product, message);
  expect(textOf(blocks).match(/<@\w+>/g)).toEqual([`<@${ada.person.id}>`]);
  expect(text).toMatch(/🚫 Canceled by Ada/);
  await workspace.until(() =>
    workspace.traffic.recent().some(({ name }) => name === 'conversations.replies'),
  );
  await workspace.settled();
  expect(repliesTo(product, message)).toHaveLength(1);
});

it("the creator is notified that a run wasn't started, and how it ended after Try again", async () => {
  const product = await startProduct();
  const { workspace, grace } = product;
  const bot = await product.startBot({
    runsApi: { ...product.config.runsApi, apiKey: 'wrong' },
  });
  const said = await grace.types(general, `<@${workspace.bot.userId}> count`);
  const message = await runMessageShowing(workspace, 'Not started');
  const source = () => workspace.messagesIn(general).find(({ ts }) => ts === said.message?.ts);
  const told = () => repliesTo(product, said.message ?? message).map(({ text }) => text);
  const first = await workspace.until(() => told().find((text) => text.includes('⚠️ Not started')));
  expect(first).toMatch(/^⚠️ Not started: count · .*rejected the app's API key/);
  await workspace.until(() => textOf(source()?.reactions).includes('"x"'));
  await workspace.settled();
  await bot.stop();
  await product.startBot();
  await grace.clicks(at(message), 'run-message:try-again');
  await workspace.until(() => told().find((text) => text.includes('✅ Succeeded: count')));
  await workspace.settled();
  expect(source()?.reactions.map(({ name }) => name)).toEqual(['white_check_mark']);
});

const directMessagesOf = ({ workspace, grace }: Product): Message[] => {
  const direct = workspace.channels.find(
    ({ kind, memberIds }) => kind === 'im' && memberIds.includes(grace.person.id),
  );
  return direct ? workspace.messagesIn(direct.id) : [];
};
