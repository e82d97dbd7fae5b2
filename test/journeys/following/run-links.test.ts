import { describe, expect, it } from 'vitest';
import { startElsewhere } from '../../support/product/home.ts';
import {
  general,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';
import { testKey } from '../../support/runs-service.ts';

const secretProject = 'C04SECRETS1';

/** A finished run of Ada's, and the link to its session. */
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

describe('a link to a run, posted in a channel', () => {
  it('gets a card with title, state and creator, without the prompt', async () => {
    const { workspace, link, cardBelow, post, ada } = await endedRun();
    const ts = await post(`look at ${link} please`);
    const card = textOf(await workspace.until(() => cardBelow(ts)));
    expect(card).toContain('"text":"Count them"');
    expect(card).toMatch(/"value":"(▶️ In progress|✅ Succeeded)"/u);
    expect(card).toContain(`"user_id":"${ada.person.id}"`);
    expect(card).not.toMatch(/nobody’s business|run:row/);
  });

  it('may lead to the run message, or contain the id of a run from anywhere', async () => {
    const { workspace, service, message, cardBelow, post } = await endedRun();
    const permalink = `${workspace.url}/archives/${general}/p${message.ts.replace('.', '')}`;
    const first = await post(permalink);
    await workspace.until(() => textOf(cardBelow(first)).includes('Count them'));
    await startElsewhere(service.apiUrl, ['From afar']);
    const headers = { authorization: `Bearer ${testKey}` };
    const listed = await fetch(`${service.apiUrl}/agent/runs?q=afar`, { headers });
    const { runs } = (await listed.json()) as { runs: { run_id: string }[] };
    const second = await post(`${service.url}/runs/${runs[0]?.run_id}`);
    await workspace.until(() => textOf(cardBelow(second)).includes('From afar'));
    const unknown = await post(`${service.url}/runs/no-such-run`);
    const last = await post(permalink);
    await workspace.until(() => cardBelow(last));
    expect(cardBelow(unknown)).toBeUndefined();
  });

  it('gets one card when delivered twice', async () => {
    const { workspace, link, cardBelow, post } = await endedRun();
    await workspace.faults.inject({ name: 'delivered_twice', kind: 'events_api' });
    const ts = await post(link);
    await workspace.until(() => cardBelow(ts));
    await workspace.settled();
    const next = await post(link);
    await workspace.until(() => cardBelow(next));
    const calls = () => workspace.traffic.recent().filter(({ name }) => name === 'chat.unfurl');
    await workspace.until(() => calls().length > 1);
    expect(calls()).toHaveLength(2);
  });

  it("gets no card outside of the run's private channel", async () => {
    const { workspace, link, cardBelow, post } = await endedRun(secretProject);
    const outside = await post(link);
    const inside = await post(link, secretProject);
    await workspace.until(() => cardBelow(inside, secretProject));
    expect(cardBelow(outside)).toBeUndefined();
  });

  it('gets no card for guests or in shared channels', async () => {
    const { workspace, link, cardBelow, post } = await endedRun();
    const byGuest = await post(link, 'C04ENGINEER', 'Sam Guest');
    const shared = await post(link, 'C04PARTNERS');
    const ts = await post(link, 'C04ENGINEER');
    await workspace.until(() => cardBelow(ts, 'C04ENGINEER'));
    expect(cardBelow(byGuest, 'C04ENGINEER')).toBeUndefined();
    expect(cardBelow(shared, 'C04PARTNERS')).toBeUndefined();
  });
});

describe('a link to a run, still in the composer', () => {
  it('gets a card for the writer', async () => {
    const { workspace, link, ada } = await endedRun();
    const draft = await ada.pastes(general, `look at ${link}`);
    const card = await workspace.until(() => draft.attachments);
    expect(textOf(card)).toContain('Count them');
  });

  it('gets no card for a run in a private channel, because it may be posted elsewhere', async () => {
    const { workspace, link, ada, cardBelow, post } = await endedRun(secretProject);
    const draft = await ada.pastes(secretProject, link);
    const ts = await post(link, secretProject);
    await workspace.until(() => cardBelow(ts, secretProject));
    expect(draft.attachments).toBeUndefined();
  });
});
