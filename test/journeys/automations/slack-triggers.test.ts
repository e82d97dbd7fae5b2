/** Automations that messages and reactions fire, from the event to the run message. */
import { describe, expect, it } from 'vitest';
import type { Trigger } from '../../../src/automations/automation.ts';
import {
  allowAlertBot,
  decided,
  startAutomatedProduct,
  storeAutomation,
} from '../../support/product/automations.ts';
import {
  opensModal,
  promptsSent,
  runMessageShowing,
  runMessagesIn,
  textOf,
} from '../../support/product/product.ts';

const alerts = 'C04ALERTS01';
type Product = Awaited<ReturnType<typeof startAutomatedProduct>>;

const stored = {
  name: 'Look into alerts',
  channelId: alerts,
  prompt: 'look into {{ message.text }}',
  title: 'An alert',
};

/** Posts through the incoming webhook of a bot, as alert bots do. */
const posts = ({ workspace }: Product, bot: string, message: object) =>
  fetch(workspace.as(bot).incomingWebhook(alerts), {
    method: 'POST',
    body: JSON.stringify(message),
  });

const alert = (what: string) => ({
  attachments: [{ title: `[FIRING:1] ${what}`, text: 'in production, since 9:41' }],
});

describe('an automation for reactions', () => {
  const trigger = { kind: 'reaction', emoji: 'eyes' } as const;

  it('starts one run for a message and its emoji, by people who can start runs', async () => {
    const product = await startAutomatedProduct();
    const { workspace, ada, grace } = product;
    await storeAutomation(product, { ...stored, trigger });
    const ts = workspace.messagesIn(alerts)[0]?.ts ?? '';
    const guest = workspace.as('Sam Guest');
    await ada.invites(alerts, guest.person.id);
    await guest.reacts(alerts, ts, 'eyes');
    expect(await decided(product, 1)).toEqual([expect.stringMatching(/^skipped: .*guest/i)]);
    await grace.reacts(alerts, ts, 'tada');
    await workspace.faults.inject({ name: 'delivered_twice', kind: 'events_api' });
    await grace.reacts(alerts, ts, 'eyes');
    const ended = await runMessageShowing(workspace, 'Succeeded', alerts);
    expect(ended.threadTs).toBe(ts);
    expect(textOf(ended)).toMatch(/by automation \*Look into alerts\*, for <@U04ADALOVEL>/);
    await grace.unreacts(alerts, ts, 'eyes');
    await grace.reacts(alerts, ts, 'eyes');
    await ada.reacts(alerts, ts, 'eyes');
    expect((await decided(product, 3)).slice(1)).toEqual(['started', 'started']);
    const [prompt, ...others] = await promptsSent(product);
    expect(others).toEqual([]);
    expect(prompt).toContain('*HighErrorRate* on `checkout-api`');
    expect(runMessagesIn(workspace, alerts)).toHaveLength(1);
  });
});

describe('an automation for messages', () => {
  const trigger: Extract<Trigger, { kind: 'message' }> = {
    kind: 'message',
    text: 'FIRING*production',
    people: [],
    bots: ['B04ALERTBOT'],
    onlyBots: true,
  };

  it('starts runs for an allowed bot, never for one that took its name', async () => {
    const product = await startAutomatedProduct();
    const { workspace } = product;
    await storeAutomation(product, { ...stored, trigger });
    await posts(product, 'Alertmanager', alert('DiskFull'));
    expect(await decided(product, 1)).toEqual([expect.stringMatching(/^skipped: .*allowed/i)]);
    await allowAlertBot(product);
    await posts(product, 'Deploybot', { ...alert('Forged'), username: 'Alertmanager' });
    await posts(product, 'Alertmanager', { text: 'RESOLVED in production' });
    await posts(product, 'Alertmanager', alert('DiskFull <!channel> <@U04GRACEHOP>'));
    const ended = await runMessageShowing(workspace, 'Succeeded', alerts);
    expect((await decided(product, 2)).at(-1)).toBe('started');
    const root = workspace.messagesIn(alerts).find(({ ts }) => ts === ended.threadTs);
    expect(textOf(root)).toContain('DiskFull <!channel>');
    const shown = textOf(runMessagesIn(workspace, alerts));
    expect(shown).not.toMatch(/<!channel>|<@U04GRACEHOP>/);
  });

  it('starts as many runs as its limit in a burst, and notes the rest', async () => {
    const product = await startAutomatedProduct();
    await storeAutomation(product, { ...stored, trigger, startsPerHour: 3, activeRuns: 100 });
    await allowAlertBot(product);
    await Promise.all(
      Array.from({ length: 30 }, (_, number) =>
        posts(product, 'Alertmanager', alert(`number ${number}`)),
      ),
    );
    const states = await decided(product, 30);
    expect(states.filter((each) => each === 'started')).toHaveLength(3);
    expect(new Set(states.filter((each) => each !== 'started'))).toEqual(
      new Set(['skipped: Limit of 3 starts an hour reached.']),
    );
    await expect.poll(() => promptsSent(product)).toHaveLength(3);
  });

  it('never starts runs for its own runs, replies, edits or mentions of the app', async () => {
    const product = await startAutomatedProduct();
    const { workspace, ada, grace } = product;
    const any = { ...trigger, text: '', bots: [], onlyBots: false };
    await storeAutomation(product, { ...stored, trigger: any, prompt: 'do {{ message.text }}' });
    const { message } = await grace.types(alerts, 'the first');
    await runMessageShowing(workspace, 'Succeeded', alerts);
    await grace.edits(alerts, message?.ts ?? '', 'the first, again');
    await grace.types(alerts, 'a reply', { threadTs: message?.ts });
    await ada.types(alerts, `<@${workspace.bot.userId}> count them`);
    await workspace.until(() => runMessagesIn(workspace, alerts).length === 2);
    await workspace.settled();
    expect(await decided(product, 1)).toEqual(['started']);
  });
});

it('Start now starts a run with the tested message, in its thread, also if nothing else would', async () => {
  const product = await startAutomatedProduct();
  const { workspace, ada, grace } = product;
  await storeAutomation(product, { ...stored, trigger: { kind: 'reaction', emoji: 'eyes' } });
  await grace.types(alerts, 'the disk of db-1 is full');
  const ts = workspace.messagesIn(alerts).at(-1)?.ts;
  const clicks = async (actionId: string, words: string) => {
    const view = await workspace.until(() => ada.modal());
    await ada.clicks({ view }, actionId);
    return workspace.until(() => {
      const text = textOf(ada.modal()?.content);
      return text.includes(words) ? text : undefined;
    });
  };
  await opensModal(product, ada, '/agent automations');
  await clicks('automations:open', '*History*');
  await clicks('automations:edit', 'Edit automation');
  expect(await clicks('automations:test', 'automations:start-now')).toContain('disk of db-1');
  await clicks('automations:start-now', 'Starting');
  const ended = await runMessageShowing(workspace, 'Succeeded', alerts);
  expect(ended.threadTs).toBe(ts);
  expect(textOf(ended)).toContain(`by automation *Look into alerts*, for <@${ada.person.id}>`);
  const [prompt] = await promptsSent(product);
  expect(prompt).toContain('look into the disk of db-1 is full');
  expect(await decided(product, 1)).toEqual(['started']);
});
