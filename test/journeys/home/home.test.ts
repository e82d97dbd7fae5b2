import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../support/database/databases.ts';
import { homeOf, openHome, startElsewhere } from '../../support/product/home.ts';
import {
  general,
  picked,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

describe('the Home tab', () => {
  it('lists a run for its creator and for everyone, but not for another creator, and remembers the filter', async () => {
    const { workspace, startBot, ada, grace } = await startProduct();
    const bot = await startBot();
    await ada.types(general, '/agent title="Ada counts" count the TODO comments');
    await workspace.until(() => ada.modal());
    await ada.submits();
    await runMessageShowing(workspace, 'Succeeded');

    await ada.opensHome();
    const mine = await workspace.until(() => ada.home());
    expect(textOf(mine.content)).toContain('Ada counts');
    expect(textOf(mine.content)).toContain('Succeeded');

    await grace.opensHome();
    const hers = await workspace.until(() => grace.home());
    expect(textOf(hers.content)).toContain("You haven't started a run yet");

    await grace.clicks({ view: hers }, 'home:creator', 'everyone');
    await workspace.until(() => textOf(grace.home()?.content).includes('Ada counts'));

    await grace.clicks({ view: grace.home() ?? hers }, 'home:creator', 'person');
    const asked = await workspace.until(() => {
      const home = grace.home();
      return textOf(home?.content).includes('users_select') ? home : undefined;
    });
    await grace.clicks({ view: asked }, 'home:person', workspace.as('alan').person.id);
    await workspace.until(() => textOf(grace.home()?.content).includes('No runs by this person'));
    await grace.clicks({ view: grace.home() ?? hers }, 'home:person', ada.person.id);
    await workspace.until(() => textOf(grace.home()?.content).includes('Ada counts'));

    await bot.stop();
    await startBot();
    await ada.types(general, '/agent run title="Ada counts again" count');
    await runMessageShowing(workspace, 'Succeeded: Ada counts again');
    await grace.opensHome();
    await workspace.until(() => textOf(grace.home()?.content).includes('Ada counts again'));
  });

  it('is forgotten when the app is uninstalled', async () => {
    const { workspace, startBot, ada, config } = await startProduct();
    const bot = await startBot();
    await ada.opensHome();
    await workspace.until(() => ada.home());
    await workspace.faults.inject({ name: 'app_uninstalled' });
    await workspace.settled();
    await bot.stop();
    const db = await openTestDatabase(config.databaseUrl);
    onTestFinished(() => db.destroy());
    const rows = await db.selectFrom('home_views').select(['shown', 'active_until']).execute();
    expect(rows).toEqual([{ shown: null, active_until: 0 }]);
  });

  it('is shown in a new workspace even if the database says it is already shown', async () => {
    const first = await startProduct();
    const bot = await first.startBot();
    await first.ada.opensHome();
    await first.workspace.until(() => first.ada.home());
    await bot.stop();
    const { home } = await openHome('ada', { databaseUrl: first.config.databaseUrl });
    expect(textOf(home().content)).toContain('New run');
  });

  it('shows the last list with its age while the service is down, and otherwise the runs that it knows', async () => {
    const { ada, service, workspace, until, clicks } = await openHome();
    await ada.types(general, '/agent run title="Known here" count');
    await runMessageShowing(workspace, 'Succeeded');
    await startElsewhere(service.apiUrl, ['Seen before']);
    await clicks('home:creator', 'everyone');
    await until('Seen before');
    await service.stop();
    await clicks('home:more', 'refresh');
    await until('Showing runs as of <!date');
    await until('Seen before');
    const grace = await homeOf({ workspace }, 'grace');
    await grace.clicks('home:creator', 'everyone');
    await grace.until('Showing only runs started from Slack');
    expect(grace.text()).toContain('Known here');
  });

  it('pages to older and newer runs and lists each run once', async () => {
    const { service, until, clicks, text } = await openHome();
    const titles = Array.from({ length: 22 }, (_, index) => `Work ${String(index + 10)}`);
    await startElsewhere(service.apiUrl, titles);
    await clicks('home:creator', 'everyone');
    await until('Work 31');
    expect(text()).not.toContain('Work 11');
    await clicks('home:older');
    await until('Work 11');
    expect(text()).toContain('Work 10');
    expect(text()).not.toContain('Work 12');
    expect(text()).not.toContain('Older');
    await clicks('home:newer');
    await until('Work 31');
    expect(text()).not.toContain('Newer');
  });

  it('finds runs by words, state and environment, clears the filters and remembers them in the form', async () => {
    const { service, ada, workspace, until, clicks, text } = await openHome();
    await startElsewhere(service.apiUrl, ['Mend the login', 'Write papers']);
    await clicks('home:creator', 'elsewhere');
    await until('Write papers');
    await clicks('home:find');
    await workspace.until(() => ada.modal());
    await ada.submits({ search: 'LOGIN' });
    await until('Filters: contains');
    await until('Mend the login');
    expect(text()).not.toContain('Write papers');
    await clicks('home:state', 'cancelled');
    await until('No runs match these filters');
    await clicks('home:clear');
    await until('Write papers');
    await clicks('home:creator', 'me');

    await ada.types(general, '/agent run title="In the shell" env=shell count');
    await runMessageShowing(workspace, 'Succeeded');
    await ada.types(general, '/agent run title="In none" count');
    await runMessageShowing(workspace, 'In none');
    await clicks('home:find');
    await workspace.until(() => ada.modal());
    const offered = await ada.searches('home:filter:environment', 'sh');
    expect(textOf(offered)).toContain('"value":"shell"');
    await ada.submits({ environment: picked('shell') });
    await until('environment shell');
    await until('In the shell');
    await clicks('home:find');
    const again = await workspace.until(() => ada.modal());
    expect(textOf(again.content)).toMatch(/"initial_option":\{[^}]*\}?[^}]*shell/);
  });
});
