import { describe, expect, it } from 'vitest';
import {
  homeOf,
  openHome,
  refreshHomes,
  startElsewhere,
  statesIn,
} from '../../support/product/home.ts';
import {
  general,
  picked,
  runMessageShowing,
  runMessagesIn,
  textOf,
} from '../../support/product/product.ts';

describe('a row of the Home tab', () => {
  it('shows state, creator with an accessible picture, age and environment, and opens details and the filled form', async () => {
    const { ada, workspace, until, clicks, picks, text } = await openHome();
    await ada.types(general, '/agent run env=shell model=small title="Look here" count');
    await runMessageShowing(workspace, 'Succeeded');
    await clicks('home:more', 'refresh');
    await until(`Succeeded  ·  <@${ada.person.id}>`);
    await until('"alt_text":"Picture of Ada Lovelace"');
    expect(text()).toContain(`/avatars/${ada.person.id}-48.svg`);
    expect(text()).toMatch(/\^{ago}\|/);
    expect(text()).toContain('  ·  shell"');
    expect(text()).not.toContain('from /agent');
    await picks('Look here', 'details');
    await workspace.until(() => textOf(ada.modal()?.content).includes('Timeline'));
    await ada.closesModal();
    await picks('Look here', 'change');
    await workspace.until(() => textOf(ada.modal()?.values).includes('small'));
    await ada.submits({ model_id: picked('large') });
    await runMessageShowing(workspace, 'repeats');
  });

  it('cancels my run and runs it again in its channel, on top while it is active', async () => {
    const { ada, config, workspace, until, clicks, picks, offers } = await openHome();
    await ada.types(general, '/agent run title="Once more" wait for me');
    const first = await runMessageShowing(workspace, 'In progress');
    await clicks('home:more', 'refresh');
    await until('In progress');
    expect(offers('Once more')).toEqual(['open', 'details', 'cancel']);
    await picks('Once more', 'cancel');
    const question = await workspace.until(() => ada.modal());
    expect(textOf(question.content)).toContain('The agent stops right away');
    await ada.clicks({ view: question }, 'run:cancel');
    await workspace.until(() => textOf(ada.modal()?.content).includes('Canceling this run'));
    await ada.closesModal();
    expect(ada.modal()).toBeUndefined();
    await runMessageShowing(workspace, 'Canceled');
    await clicks('home:more', 'refresh');
    await workspace.until(() => offers('Once more').includes('again'));
    await picks('Once more', 'again');
    const second = await runMessageShowing(workspace, 'In progress');
    expect(second.ts).not.toBe(first.ts);
    await until('*Active*');

    await ada.clicks({ channelId: general, messageTs: second.ts }, 'run:cancel');
    await runMessageShowing(workspace, 'Canceled');
    await refreshHomes(config.databaseUrl);
    await until('2 canceled');
  });

  it("sends a repeat of someone else's run as a direct message, because they may not be in its channel", async () => {
    const { ada, grace, workspace, ...product } = await openHome();
    await ada.types(general, '/agent run title="Behind the door" count');
    await runMessageShowing(workspace, 'Succeeded');
    const { clicks, until, picks, offers } = await homeOf({ workspace, ...product }, 'alan');
    await clicks('home:creator', 'everyone');
    await until('Succeeded  ·  ');
    expect(offers('Behind the door')).not.toContain('cancel');
    await picks('Behind the door', 'again');
    await runMessageShowing(workspace, 'Succeeded', workspace.as('alan').directChannelId);
    expect(runMessagesIn(workspace)).toHaveLength(1);
    expect(grace.home()).toBeUndefined();
  });
});

it('a row of a run started outside Slack shows details and runs it again in a direct message, unless the service is down', async () => {
  const { ada, service, workspace, until, clicks, picks } = await openHome();
  await startElsewhere(service.apiUrl, ['Soon gone', 'From afar']);
  await clicks('home:creator', 'elsewhere');
  await until('From afar');
  await picks('From afar', 'details');
  await workspace.until(() => textOf(ada.modal()?.content).includes('Timeline'));
  expect(textOf(ada.modal()?.content)).toContain('requested by');
  expect(textOf(ada.modal()?.content)).toContain('do From afar');
  await ada.closesModal();
  await expect.poll(() => statesIn(service.apiUrl)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  await clicks('home:more', 'refresh');
  await until('Succeeded  ·  ');
  await picks('From afar', 'again');
  const message = await runMessageShowing(workspace, 'Succeeded', ada.directChannelId);
  expect(textOf(message)).toContain('From afar');

  await service.stop();
  await picks('Soon gone', 'details');
  await workspace.until(() => textOf(ada.modal()?.content).includes("can't be reached"));
});
