import { describe, expect, it } from 'vitest';
import { general, runMessageShowing, startProduct, textOf } from '../support/product.ts';

describe('the Home tab', () => {
  it('lists a run under its creator and under everyone, and not under another creator', async () => {
    const { workspace, startBot, ada, grace } = await startProduct();
    await startBot();
    await ada.types(general, '/agent count the TODO comments');
    await workspace.until(() => ada.modal());
    await ada.submits({ title: 'Ada counts' });
    await runMessageShowing(workspace, 'Succeeded');

    await ada.opensHome();
    const mine = await workspace.until(() => ada.home());
    expect(textOf(mine.content)).toContain('Ada counts');
    expect(textOf(mine.content)).toContain('Succeeded');

    await grace.opensHome();
    const hers = await workspace.until(() => grace.home());
    expect(textOf(hers.content)).toContain('You have not started a run yet');

    await grace.clicks({ view: hers }, 'home:creator', 'everyone');
    await workspace.until(() => textOf(grace.home()?.content).includes('Ada counts'));

    await grace.clicks({ view: grace.home() ?? hers }, 'home:creator', 'person');
    const asked = await workspace.until(() => {
      const home = grace.home();
      return textOf(home?.content).includes('users_select') ? home : undefined;
    });
    await grace.clicks({ view: asked }, 'home:person', workspace.as('alan').person.id);
    await workspace.until(() => textOf(grace.home()?.content).includes('No runs of this person'));
    await grace.clicks({ view: grace.home() ?? hers }, 'home:person', ada.person.id);
    await workspace.until(() => textOf(grace.home()?.content).includes('Ada counts'));
  });

  it('remembers the filter of a person', async () => {
    const { workspace, startBot, ada } = await startProduct();
    const bot = await startBot();
    await ada.opensHome();
    const first = await workspace.until(() => ada.home());
    await ada.clicks({ view: first }, 'home:creator', 'everyone');
    await workspace.until(() =>
      textOf(ada.home()?.content).includes('Nobody has started a run yet'),
    );
    await bot.stop();
    await startBot();
    await ada.opensHome();
    expect(textOf(ada.home()?.content)).toContain('Nobody has started a run yet');
  });

  it('shows runs that were started elsewhere, with the name that the API gives', async () => {
    const { workspace, service, startBot, ada } = await startProduct();
    await startBot();
    const body = JSON.stringify({ prompt: 'from the command line', title: 'Started elsewhere' });
    const headers = { authorization: 'Bearer test-key-of-ada', 'content-type': 'application/json' };
    await fetch(`${service.apiUrl}/agent/run`, { method: 'POST', body, headers });
    await ada.opensHome();
    const home = await workspace.until(() => ada.home());
    await ada.clicks({ view: home }, 'home:creator', 'everyone');
    await workspace.until(() => textOf(ada.home()?.content).includes('Started elsewhere'));
  });

  it('says so when the runs service is away, and lists what it knows', async () => {
    const { workspace, service, startBot, ada } = await startProduct();
    await startBot();
    await ada.types(general, '/agent count');
    await workspace.until(() => ada.modal());
    await ada.submits({ title: 'Known here' });
    await runMessageShowing(workspace, 'Succeeded');
    await service.stop();
    await ada.opensHome();
    const home = await workspace.until(() => ada.home());
    await ada.clicks({ view: home }, 'home:creator', 'everyone');
    const shown = await workspace.until(() => {
      const text = textOf(ada.home()?.content);
      return text.includes('Below are the runs that were started here') ? text : undefined;
    });
    expect(shown).toContain('Known here');
  });
});
