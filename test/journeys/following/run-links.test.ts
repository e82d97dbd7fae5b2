import { expect, it } from 'vitest';
import { testKey } from '../../../packages/runs-service/test/support/runs-service.ts';
import { startElsewhere } from '../../support/product/home.ts';
import {
  general,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

const secretProject = 'C04SECRETS1';

/** Starts a run as Ada and waits for its end. `post` sends a text, and `cardBelow` finds its preview. */
async function endedRun(channelId = general) {
  const product = await startedProduct();
  const { workspace, ada } = product;
  await ada.types(channelId, '/agent run title="Count them" the prompt is nobody’s business');
  const message = await runMessageShowing(workspace, 'Succeeded', channelId);
  const link = /"url":"(http[^"]+session[^"]+)"/.exec(textOf(message.blocks))?.[1] ?? '';
  const cardBelow = (ts: string | undefined, channel = general) =>
    workspace.messagesIn(channel).find((each) => each.ts === ts)?.attachments;
  const post = async (text: string, channel = general, name = 'ada') =>
    (await workspace.as(name).types(channel, text)).message?.ts;
  return { ...product, message, link, cardBelow, post };
}

it('a link to a run gets one card with title, state and creator, without the prompt', async () => {
  const { workspace, service, message, link, cardBelow, post, ada } = await endedRun();
  await workspace.faults.inject({ name: 'delivered_twice', kind: 'events_api' });
  const ts = await post(`look at ${link} please`);
  const card = textOf(await workspace.until(() => cardBelow(ts)));
  expect(card).toContain('"text":"Count them"');
  expect(card).toMatch(/"value":"(▶️ In progress|✅ Succeeded)"/u);
  expect(card).toContain(`"user_id":"${ada.person.id}"`);
  expect(card).not.toMatch(/nobody’s business|run:row/);
  const draft = await ada.pastes(general, `look at ${link}`);
  expect(textOf(await workspace.until(() => draft.attachments))).toContain('Count them');

  // Links can also point to the run message, or to a run that wasn't started in Slack.
  const permalink = `${workspace.url}/archives/${general}/p${message.ts.replace('.', '')}`;
  await startElsewhere(service.apiUrl, ['From afar']);
  const headers = { authorization: `Bearer ${testKey}` };
  const listed = await fetch(`${service.apiUrl}/agent/runs?q=afar`, { headers });
  const { runs } = (await listed.json()) as { runs: { run_id: string }[] };
  const second = await post(`${service.url}/runs/${runs[0]?.run_id}`);
  await workspace.until(() => textOf(cardBelow(second)).includes('From afar'));

  // Guests, shared channels and unknown runs get no preview.
  const unknown = await post(`${service.url}/runs/no-such-run`);
  const byGuest = await post(link, 'C04ENGINEER', 'Sam Guest');
  const shared = await post(link, 'C04PARTNERS');
  const last = await post(permalink, 'C04ENGINEER');
  await workspace.until(() => cardBelow(last, 'C04ENGINEER'));
  await workspace.settled();
  const none = [cardBelow(unknown), cardBelow(byGuest, 'C04ENGINEER')];
  expect([...none, cardBelow(shared, 'C04PARTNERS')]).toEqual([undefined, undefined, undefined]);
  const calls = workspace.traffic.recent().filter(({ name }) => name === 'chat.unfurl');
  expect(calls).toHaveLength(4);
});

it('a link to a run in a private channel gets a card there, but none elsewhere and none in the composer, whose text can go elsewhere', async () => {
  const { workspace, link, cardBelow, post, ada } = await endedRun(secretProject);
  const draft = await ada.pastes(secretProject, link);
  const outside = await post(link);
  const inside = await post(link, secretProject);
  await workspace.until(() => cardBelow(inside, secretProject));
  await workspace.settled();
  expect([cardBelow(outside), draft.attachments]).toEqual([undefined, undefined]);
});
