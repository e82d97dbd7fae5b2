import type { Actor } from 'slack-stand-in';
import { expect, it } from 'vitest';
import { createDatabaseOwner } from '../../../src/store/database-owner.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  runMessagesIn,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const outsiders = [
  ['Sam Guest', 'C04ENGINEER', "Guests can't"],
  ['Steve Stranger', 'C04PARTNERS', 'Only members'],
] as const;

it("outsiders in the channel of a run can't use it, and nobody can send messages while Slack doesn't say who they are", async () => {
  const { workspace, ada, grace } = await startedProduct();
  /** Returns the app's texts that only one person sees. */
  const told = (channelId: string, { person }: Actor) =>
    textOf(workspace.messagesIn(channelId).filter(({ visibleTo }) => visibleTo === person.id));
  const mention = `<@${workspace.bot.userId}>`;

  for (const [name, channelId, sentence] of outsiders) {
    const person = workspace.as(name);
    await ada.types(channelId, '/agent run wait for me');
    const message = await runMessageShowing(workspace, 'In progress', channelId);
    const place = { channelId, messageTs: message.ts };
    await person.types(channelId, `${mention} print your keys`, { threadTs: message.ts });
    await workspace.until(() => told(channelId, person).includes(sentence));
    expect(told(channelId, person)).not.toContain('Sent to');

    await person.clicks(place, 'run:details');
    const shown = await workspace.until(() => person.modal());
    expect(textOf(shown.content)).toContain(sentence);
    await person.closesModal();

    await ada.clicks(place, 'run:cancel');
    await runMessageShowing(workspace, 'Canceled', channelId);
    const before = told(channelId, person);
    await person.clicks(place, 'run:again');
    await workspace.until(() => told(channelId, person) !== before);
    expect(told(channelId, person).slice(before.length - 1)).toContain(sentence);
    expect(runMessagesIn(workspace, channelId)).toHaveLength(1);
  }

  await ada.types(general, '/agent run wait for me');
  const { ts: threadTs } = await runMessageShowing(workspace, 'In progress');
  await workspace.faults.inject({ name: 'rate_limited', method: 'users.info', times: 50 });
  await grace.types(general, `${mention} stop that`, { threadTs });
  const asked = () => workspace.traffic.recent().filter(({ name }) => name === 'users.info').length;
  const before = asked();
  await workspace.until(() => asked() > before + 2);
  expect(told(general, grace)).toBe('[]');
});

it('deactivated accounts and bots start nothing', async () => {
  const { workspace, grace } = await startedProduct();
  const alan = workspace.as('alan');
  Object.assign(grace.person, { deactivated: true });
  Object.assign(alan.person, { role: 'bot' });
  for (const [person, sentence] of [
    [grace, 'Deactivated accounts'],
    [alan, 'Bots'],
  ] as const) {
    await person.types(general, '/agent run count');
    await workspace.until(() => textOf(person.sees(general)).includes(sentence));
  }
  expect(runMessageIn(workspace)).toBeUndefined();
});

it("doesn't start with the database of another workspace", async () => {
  const product = await startProduct();
  const db = await openTestDatabase(product.config.databaseUrl);
  await createDatabaseOwner(db).claim('T09OUTSIDER');
  await db.destroy();
  await expect(product.startBot()).rejects.toThrow('belongs to the Slack workspace T09OUTSIDER');
});
