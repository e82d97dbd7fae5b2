import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../support/database/test-key.ts';
import { openHome, refreshHomes, startElsewhere } from '../../support/product/home.ts';
import {
  general,
  picked,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

describe('the Home tab', () => {
  it('lists a run for its creator and for everyone, but not for another creator', async () => {
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
  });

  it("remembers a person's filter", async () => {
    const { workspace, startBot, ada } = await startProduct();
    const bot = await startBot();
    await ada.opensHome();
    const first = await workspace.until(() => ada.home());
    await ada.clicks({ view: first }, 'home:creator', 'everyone');
    await workspace.until(() => textOf(ada.home()?.content).includes('No runs yet'));
    await bot.stop();
    await startBot();
    await ada.opensHome();
    const again = await workspace.until(() => ada.home());
    expect(textOf(again.content)).toContain("Everyone's runs");
  });

  it('shows runs started outside Slack under the name that the API gives', async () => {
    const { workspace, service, startBot, ada } = await startProduct();
    await startBot();
    const body = JSON.stringify({ prompt: 'from the command line', title: 'Started elsewhere' });
    const headers = {
      authorization: 'Bearer test-key-of-ada-0123456789abcdefgh',
      'content-type': 'application/json',
    };
    await fetch(`${service.apiUrl}/agent/run`, { method: 'POST', body, headers });
    await ada.opensHome();
    const home = await workspace.until(() => ada.home());
    await ada.clicks({ view: home }, 'home:creator', 'everyone');
    await workspace.until(() => textOf(ada.home()?.content).includes('Started elsewhere'));
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
    const { databaseUrl } = (await openHome()).config;
    const { home } = await openHome('ada', { databaseUrl });
    expect(textOf(home().content)).toContain('New run');
  });

  it('lists what it knows when the runs service is away, and says so', async () => {
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
      return text.includes('Showing only runs started from Slack') ? text : undefined;
    });
    expect(shown).toContain('Known here');
  });
});

describe("the Home tab with the team's runs", () => {
  it('explains how to start a run to people without runs', async () => {
    const { until } = await openHome();
    await until('`/agent count the TODO comments`');
  });

  it('pages to older and newer runs and lists each run once', async () => {
    const { service, until, clicks, text } = await openHome();
    const titles = Array.from({ length: 25 }, (_, index) => `Work ${String(index + 10)}`);
    await startElsewhere(service.apiUrl, titles);
    await clicks('home:creator', 'everyone');
    await until('Work 34');
    expect(text()).not.toContain('Work 14');
    await clicks('home:older');
    await until('Work 14');
    expect(text()).toContain('Work 10');
    expect(text()).not.toContain('Work 15');
    expect(text()).not.toContain('Older');
    await clicks('home:newer');
    await until('Work 34');
    expect(text()).not.toContain('Newer');
  });

  it('finds runs by words and state, and clears the filters', async () => {
    const { service, ada, workspace, until, clicks, text } = await openHome();
    await startElsewhere(service.apiUrl, ['Mend the login', 'Write papers']);
    await clicks('home:creator', 'elsewhere');
    await until('Write papers');
    await clicks('home:find');
    await workspace.until(() => ada.modal());
    await ada.submits({ search: 'LOGIN' });
    await until('Filtered by words');
    await until('Mend the login');
    expect(text()).not.toContain('Write papers');
    await clicks('home:state', 'cancelled');
    await until('No runs match these filters');
    await clicks('home:clear');
    await until('Write papers');
  });

  it('finds runs by environment and remembers it in the form', async () => {
    const { ada, workspace, until, clicks, text } = await openHome();
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
    expect(text()).toContain('In the shell');
    await clicks('home:find');
    const again = await workspace.until(() => ada.modal());
    expect(textOf(again.content)).toMatch(/"initial_option":\{[^}]*\}?[^}]*shell/);
  });

  it('shows my active run on top and updates when it ends', async () => {
    const { ada, config, workspace, until } = await openHome();
    await ada.types(general, '/agent wait for me');
    await workspace.until(() => ada.modal());
    await ada.submits({ title: 'A long one' });
    const message = await runMessageShowing(workspace, 'In progress');
    await ada.opensHome();
    await until('Your active runs');
    await ada.clicks({ channelId: general, messageTs: message.ts }, 'run:cancel');
    await runMessageShowing(workspace, 'Canceled');
    await refreshHomes(config.databaseUrl);
    await workspace.until(() => {
      const text = textOf(ada.home()?.content);
      return text.includes('A long one') && text.includes('1 canceled') && text;
    });
  });

  it('shows the last list with its age while the service is away', async () => {
    const { service, until, clicks } = await openHome();
    await startElsewhere(service.apiUrl, ['Seen before']);
    await clicks('home:creator', 'everyone');
    await until('Seen before');
    await service.stop();
    await clicks('home:more', 'refresh');
    await until('Showing runs as of <!date');
    await until('Seen before');
  });

  it('opens the details of a run from its row', async () => {
    const { ada, workspace, until, clicks, picks } = await openHome();
    await ada.types(general, '/agent count');
    await workspace.until(() => ada.modal());
    await ada.submits({ title: 'Look at me' });
    await runMessageShowing(workspace, 'Succeeded');
    await clicks('home:more', 'refresh');
    await until('Look at me');
    await picks('Look at me', 'details');
    await workspace.until(() => textOf(ada.modal()?.content).includes('Timeline'));
  });
});
