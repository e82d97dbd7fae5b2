import { describe, expect, it, onTestFinished } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { clientOf } from '../../../packages/runs-service/test/support/runs-service.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { installInBrowser, startOAuthProduct } from '../../support/product/oauth-product.ts';
import { textOf } from '../../support/product/product.ts';

const ada = 'U04ADALOVEL';
const katherine = 'U05KATHERIN';
const adas = { teamId: 'T04ENGINE01', channelId: 'C04GENERAL1' };
const katherines = { teamId: 'T05COMPILER', channelId: 'C05GENERAL1' };

type Product = Awaited<ReturnType<typeof startOAuthProduct>>;

const runMessages = ({ workspace }: Product, { teamId, channelId }: typeof adas) =>
  workspace
    .messagesIn(channelId)
    .filter(({ userId }) => userId === workspace.installationIn(teamId)?.botUserId)
    .filter(({ visibleTo, threadTs }) => !visibleTo && !threadTs)
    .map(textOf);

const ends = (product: Product, place: typeof adas, words: string) =>
  product.workspace.until(() => runMessages(product, place).some((text) => text.includes(words)));

describe('the app, installed by OAuth', () => {
  it('works in two workspaces, and shows no run of one in the other', async () => {
    const product = await startOAuthProduct();
    const { workspace, startBot, install, config } = product;
    await startBot();
    // The stand-in installs the app in its home workspace, but the app hasn't stored an OAuth installation.
    const early = await workspace.as('ada').types(adas.channelId, '/agent run count');
    expect(textOf(early.outcome)).toContain("Only members of the app's workspace");

    const installed = await install(ada);
    expect([installed.status, installed.text]).toEqual([
      200,
      expect.stringContaining('Installed in Analytical Engines'),
    ]);
    expect(installed.headers.get('referrer-policy')).toBe('no-referrer');
    expect((await install(katherine)).text).toContain('Installed in Compiler Club');
    await workspace.as('ada').types(adas.channelId, '/agent run engines only');
    await workspace.as(katherine).types(katherines.channelId, '/agent run compilers only');
    await ends(product, adas, 'done: engines only');
    await ends(product, katherines, 'done: compilers only');
    expect(runMessages(product, adas).join()).not.toContain('compilers');
    expect(runMessages(product, katherines).join()).not.toContain('engines');

    const list = await clientOf(product.service.apiUrl).request('/agent/runs');
    const { runs } = (await list.json()) as { runs: { run_id: string; prompt: string }[] };
    const theirs = runs.find(({ prompt }) => prompt === 'compilers only')?.run_id;
    const shown = await workspace.as('ada').types(adas.channelId, `/agent show ${theirs}`);
    expect(textOf([shown, workspace.messagesIn(adas.channelId)])).not.toContain('compilers only');

    const db = await openTestDatabase(config.databaseUrl);
    onTestFinished(() => db.destroy());
    const rows = await db.selectFrom('installations').selectAll().orderBy('id').execute();
    expect(rows.map(({ id, bot_token: token }) => [id, token])).toEqual(
      [adas, katherines].map(({ teamId }) => [teamId, workspace.installationIn(teamId)?.botToken]),
    );
  });

  it('stops where it is removed, continues elsewhere, and continues there after it is installed again', async () => {
    const product = await startOAuthProduct();
    const { workspace, startBot, install } = product;
    await startBot();
    await install(ada);
    await install(katherine);
    await workspace.as(katherine).types(katherines.channelId, '/agent run wait');
    await ends(product, katherines, 'In progress');
    await workspace.faults.inject({ name: 'app_uninstalled', teamId: katherines.teamId });
    await workspace.as('ada').types(adas.channelId, '/agent run engines only');
    await ends(product, adas, 'done: engines only');
    const rejected = await workspace.as(katherine).types(katherines.channelId, '/agent list');
    expect(textOf(rejected)).not.toContain('"acked":true,"body":""');
    await install(katherine);
    await workspace.as(katherine).types(katherines.channelId, '/agent run compilers again');
    await ends(product, katherines, 'done: compilers again');
  });
});

describe('an admin', () => {
  it('is asked in Home for exactly the scopes that an update needs', async () => {
    const product = await startOAuthProduct({ moreTeams: 1 });
    const [admin, member] = ['U06ADM0001', 'U06MEM0001'];
    const { workspace, startBot, install, config } = product;
    const { oauth } = config.slack;
    if (!oauth) throw new Error('no OAuth');
    const scopes = oauth.scopes.filter((scope) => !['links:read', 'links:write'].includes(scope));
    const older = await startBot({ oauth: { ...oauth, scopes } });
    await install(admin);
    await older.stop();
    await startBot();
    const home = (name: string) => textOf(workspace.as(name).home()?.content);
    const asHome = async () => textOf((await workspace.as(admin).opensHome())?.content);
    await workspace.as(admin).opensHome();
    await workspace.until(() => home(admin).includes('Slack granted 21 of 23 scopes'));
    const link = /<(http[^|]*install[^|]*)\|Allow them>/.exec(home(admin))?.[1] ?? '';
    await workspace.as(member).opensHome();
    await workspace.until(() => home(member).includes('Agent runs'));
    expect(home(member)).not.toContain('Slack granted');
    const address = link.replaceAll('&amp;', '&');
    const { status, scopes: asked } = await installInBrowser(workspace, address, admin);
    expect([status, asked]).toEqual([200, ['links:read', 'links:write']]);
    expect(workspace.installationIn('T06TEAM0001')?.scopes.toSorted()).toEqual(
      oauth.scopes.toSorted(),
    );
    await expect.poll(() => asHome(), { interval: 500 }).not.toContain('Slack granted');
  });
});

describe('an admin who leaves out optional scopes', () => {
  it('has an app that works, and a doctor that says what is off', async () => {
    const product = await startOAuthProduct({ moreTeams: 1 });
    const { workspace, startBot, install } = product;
    const [teamId, admin, channelId] = ['T06TEAM0001', 'U06ADM0001', 'C06GEN0001'];
    await startBot();
    const leavesOut = ['files:write', 'reactions:write', 'usergroups:read'];
    await install(admin, '', { leavesOut });
    const { scopes = [] } = workspace.installationIn(teamId) ?? {};
    expect(leavesOut.filter((scope) => scopes.includes(scope))).toEqual([]);
    await workspace.as(admin).types(channelId, '/agent run go');
    await workspace.until(() => textOf(workspace.messagesIn(channelId)).includes('done: go'));
    await workspace.as(admin).types(channelId, '/agent doctor');
    const answer = await workspace.until(() => {
      const shown = textOf(workspace.as(admin).sees(channelId));
      return shown.includes('optional-scopes-missing') ? shown : undefined;
    });
    expect(answer).toContain('No problems found');
    expect(answer).toContain('files in Slack, such as long answers (files:write)');
  });
});

describe('the pages', () => {
  it('say what to do when it was not installed', async () => {
    const product = await startOAuthProduct();
    const { workspace, startBot, publicUrl } = product;
    const { logger, lines } = createLineLogger();
    await startBot({}, logger);
    const start = `${publicUrl}/slack/install`;
    const canceled = await installInBrowser(workspace, start, ada, { answer: 'deny' });
    expect(canceled.text).toContain('You canceled the installation');
    const { back } = await installInBrowser(workspace, start, ada);
    const again = await fetch(back);
    expect([again.status, await again.text()]).toEqual([
      400,
      expect.stringContaining('Start again'),
    ]);
    const forged = await fetch(back, { headers: { cookie: 'slack-app-oauth-state=x' } });
    expect(forged.status).toBe(400);
    await workspace.faults.inject({ name: 'server_error', method: 'oauth.v2.access', times: 9 });
    expect((await installInBrowser(workspace, start, ada)).status).toBe(503);
    workspace.faults.clear();
    const error = 'bad_client_secret';
    await workspace.faults.inject({ name: 'error_answer', method: 'oauth.v2.access', error });
    const wrong = await installInBrowser(workspace, start, ada);
    expect([wrong.status, wrong.text]).toEqual([
      502,
      expect.stringContaining('SLACK_CLIENT_SECRET'),
    ]);
    const errors = lines.filter(({ level }) => level >= 50);
    expect(errors.map(({ msg }) => msg)).toEqual(["Couldn't install the app"]);
    expect((await fetch(`${publicUrl}/slack/nothing`)).status).toBe(404);
  });
});
