import { describe, expect, it } from 'vitest';
import { homeOf, openHome, startElsewhere } from '../support/home.ts';
import { general, picked, runMessageShowing, runMessagesIn, textOf } from '../support/product.ts';

describe('a row of the Home tab', () => {
  it('says state, creator with a picture that has words, how long ago, environment and origin', async () => {
    const { ada, workspace, until, clicks, text } = await openHome();
    await ada.types(general, '/agent run env=shell title="Look here" count');
    await runMessageShowing(workspace, 'Succeeded');
    await clicks('home:refresh');
    await until(`Succeeded  ·  <@${ada.person.id}>`);
    await until('"alt_text":"Picture of Ada Lovelace"');
    expect(text()).toContain(`/avatars/${ada.person.id}-48.svg`);
    expect(text()).toMatch(/\^{ago}\|/);
    expect(text()).toContain('in shell  ·  from /agent');
  });

  it('runs again what is mine where it was, and shows it above everything', async () => {
    const { ada, workspace, until, clicks, picks, offers } = await openHome();
    await ada.types(general, '/agent run title="Once more" wait for me');
    const first = await runMessageShowing(workspace, 'In progress');
    await clicks('home:refresh');
    await until('In progress');
    expect(offers('Once more')).toEqual(['open', 'details', 'cancel']);
    await picks('Once more', 'cancel');
    const question = await workspace.until(() => ada.modal());
    expect(textOf(question.content)).toContain('The agent stops where it is');
    await ada.clicks({ view: question }, 'run:cancel');
    await workspace.until(() => textOf(ada.modal()?.content).includes('Canceling this run'));
    await ada.closesModal();
    expect(ada.modal()).toBeUndefined();
    await runMessageShowing(workspace, 'Cancelled');
    await clicks('home:refresh');
    await workspace.until(() => offers('Once more').includes('again'));
    await picks('Once more', 'again');
    const second = await runMessageShowing(workspace, 'In progress');
    expect(second.ts).not.toBe(first.ts);
    await until('Yours, going on');
  });

  it('opens the form with everything of a run, for *Run again with changes*', async () => {
    const { ada, workspace, until, clicks, picks } = await openHome();
    await ada.types(general, '/agent run env=shell model=small title="Change me" count');
    await runMessageShowing(workspace, 'Succeeded');
    await clicks('home:refresh');
    await until('Succeeded  ·  ');
    await picks('Change me', 'change');
    await workspace.until(() => textOf(ada.modal()?.values).includes('small'));
    await ada.submits({ model_id: picked('large') });
    await runMessageShowing(workspace, 'model changed from small to large');
  });

  it('sends the repetition of another’s run to whoever asked for it: they may not be where it was', async () => {
    const { ada, grace, workspace, ...product } = await openHome();
    await ada.types('C04SECRETS1', '/agent run title="Behind the door" count');
    await runMessageShowing(workspace, 'Succeeded', 'C04SECRETS1');
    const { clicks, until, picks, offers } = await homeOf({ workspace, ...product }, 'alan');
    await clicks('home:creator', 'everyone');
    await until('Succeeded  ·  ');
    expect(offers('Behind the door')).not.toContain('cancel');
    await picks('Behind the door', 'again');
    await runMessageShowing(workspace, 'Succeeded', workspace.as('alan').directChannelId);
    expect(runMessagesIn(workspace, 'C04SECRETS1')).toHaveLength(1);
    expect(grace.home()).toBeUndefined();
  });
});

describe('a row of a run that was started elsewhere', () => {
  it('shows its details, which name who started it there', async () => {
    const { ada, service, workspace, until, clicks, picks } = await openHome();
    await startElsewhere(service.apiUrl, ['From afar']);
    await clicks('home:creator', 'everyone');
    await until('From afar');
    await picks('From afar', 'details');
    await workspace.until(() => textOf(ada.modal()?.content).includes('Timeline'));
    expect(textOf(ada.modal()?.content)).toContain('asked');
    await ada.clicks({ view: ada.modal() ?? never() }, 'run-details:page:prompt');
    await workspace.until(() => textOf(ada.modal()?.content).includes('do From afar'));
  });

  it('runs it again, with the message going to whoever asked', async () => {
    const { ada, service, workspace, until, clicks, picks } = await openHome();
    await startElsewhere(service.apiUrl, ['From afar']);
    await clicks('home:creator', 'elsewhere');
    await until('From afar');
    await workspace.until(() => textOf(ada.home()?.content).includes('Succeeded  ·  '), {
      timeoutMs: 25_000,
    });
    await picks('From afar', 'again');
    const message = await runMessageShowing(workspace, 'Succeeded', ada.directChannelId);
    expect(textOf(message)).toContain('From afar');
  }, 40_000);

  it('says so when the service has forgotten it', async () => {
    const { ada, service, workspace, until, clicks, picks } = await openHome();
    await startElsewhere(service.apiUrl, ['Soon gone']);
    await clicks('home:creator', 'everyone');
    await until('Soon gone');
    await service.stop();
    await picks('Soon gone', 'details');
    await workspace.until(() => textOf(ada.modal()?.content).includes('cannot be reached'));
  });
});

const never = (): never => {
  throw new Error('there is no modal');
};
