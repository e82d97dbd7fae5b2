import { expect, it } from 'vitest';
import {
  general,
  runMessageShowing,
  runMessagesIn,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

const secretProject = 'C04SECRETS1';

/** A run with this prompt, and a card of it that Ada posted in another channel. */
async function cardOf(prompt: string, state: string) {
  const product = await startedProduct({}, { keepTriggers: true });
  const { workspace, ada } = product;
  await ada.types(general, `/agent run title="Count them" ${prompt}`);
  const message = await runMessageShowing(workspace, state);
  const link = `${workspace.url}/archives/${general}/p${message.ts.replace('.', '')}`;
  const engineering = 'C04ENGINEER';
  const posted = (await ada.types(engineering, link)).message?.ts ?? '';
  const cards = () =>
    workspace.messagesIn(engineering).find(({ ts }) => ts === posted)?.attachments;
  await workspace.until(cards);
  /** What a person sees who opens the card. */
  const opens = async (name: string) => {
    const person = workspace.as(name);
    await person.opensEntity(engineering, posted);
    return textOf(await workspace.until(() => person.flexpane()?.shown));
  };
  return { ...product, cards, opens };
}

it('the card of a run opens its outcome for those who see the run, and a forged reference shows nothing', async () => {
  const { workspace, ada, cards, opens } = await cardOf('count all files', 'Succeeded');
  expect(textOf(cards())).not.toContain('count all files');
  const details = await opens('grace');
  for (const words of ['Count them', 'Succeeded', 'done: count all files', 'Ran for'])
    expect(details).toContain(words);
  expect(details).toMatch(/"primary_actions":\[\{"text":"Open session"/);
  const grace = workspace.as('grace');
  await grace.clicksInEntity('run:row:entity:details');
  await workspace.until(() => textOf(grace.modal()?.content).includes('*Timeline*'));
  await grace.closesModal();
  await grace.clicksInEntity('run:row:entity:again');
  const isTheirs = () => textOf(runMessagesIn(workspace, grace.directChannelId));
  await workspace.until(() => isTheirs().includes('Count them'));

  expect(await opens('Sam Guest')).toContain("Guests can't see agent runs");
  await ada.types(secretProject, '/agent run title="Behind the door" count');
  const hidden = await runMessageShowing(workspace, 'Succeeded', secretProject);
  const requestId =
    /"value":"([^"]+)","action_id":"run:details"|"action_id":"run:details"[^}]*?"value":"([^"]+)"/.exec(
      textOf(hidden.blocks),
    );
  await opens('alan');
  const opened = workspace.traffic
    .recent()
    .findLast(({ request }) => Object(request).event?.type === 'entity_details_requested');
  const payload = structuredClone(Object(opened?.request));
  const id = Buffer.from(requestId?.[1] ?? requestId?.[2] ?? '').toString('base64url');
  Object.assign(payload, { event_id: 'EvForged' });
  Object.assign(payload.event, { external_ref: { id }, trigger_id: 'forged' });
  await workspace.deliver({ kind: 'events_api', payload });
  const call = await workspace.until(() =>
    workspace.traffic.recent().find(({ name, request }) => {
      return name === 'entity.presentDetails' && Object(request).trigger_id === 'forged';
    }),
  );
  expect(textOf(call.request)).toContain("a conversation that you aren't in");
  expect(textOf(call.request)).not.toContain('Behind the door');
});

it('a run is canceled from its details by the people who may, after a question', async () => {
  const { workspace, ada, opens } = await cardOf('wait for me', 'In progress');
  expect(await opens('alan')).not.toContain('run:row:entity:cancel');
  expect(await opens('ada')).toContain('run:row:entity:cancel');
  await ada.clicksInEntity('run:row:entity:cancel');
  const view = await workspace.until(() => ada.modal());
  expect(textOf(view.content)).toContain('Cancel this run?');
  await ada.clicks({ view }, 'run:cancel');
  await runMessageShowing(workspace, 'Canceled');
  await ada.refreshesEntity();
  await workspace.until(() => textOf(ada.flexpane()?.shown).includes('Canceled'));
});
