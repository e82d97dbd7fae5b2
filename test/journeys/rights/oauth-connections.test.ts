import { expect, it } from 'vitest';
import {
  addsConnection,
  modalShowing,
  opensConnections,
} from '../../support/product/connecting.ts';
import { createKeyedService } from '../../support/product/keyed-service.ts';
import { startOAuthProduct } from '../../support/product/oauth-product.ts';
import { addsRule } from '../../support/product/policy.ts';
import { textOf } from '../../support/product/product.ts';

const teams = [
  {
    name: 'engines',
    admin: 'ada',
    id: 'U04ADALOVEL',
    teamId: 'T04ENGINE01',
    channelId: 'C04GENERAL1',
  },
  {
    name: 'compilers',
    admin: 'U05KATHERIN',
    id: 'U05KATHERIN',
    teamId: 'T05COMPILER',
    channelId: 'C05GENERAL1',
  },
] as const;

it('two workspaces install the app, connect different services, set rules, and see nothing of each other', async () => {
  const product = await startOAuthProduct({ connectionHosts: ['127.0.0.1'] });
  const { workspace, startBot, install, service } = product;
  await startBot();
  const services = await Promise.all(teams.map(({ name }) => createKeyedService(name)));
  const at = (index: number) => {
    const [team, own] = [teams[index], services[index]];
    if (!team || !own) throw new Error('no such team');
    return { ...team, own, person: workspace.as(team.admin) };
  };
  for (const [index, { id }] of teams.entries()) {
    await install(id);
    const { person, own, channelId, name } = at(index);
    await opensConnections(product, person, channelId);
    const added = { name: 'ours', url: own.url, key: own.adminKey };
    expect(await addsConnection(product, person, added), name).toEqual({});
    await modalShowing(product, person, 'is added');
    await person.closesModal({ all: true });
    await own.begin(`begun at ${name}`);
  }
  const rule = { name: 'Rule of engines', connections: 'ours' };
  await addsRule(product, at(0).person, rule, at(0).channelId);
  await Promise.all(
    teams.map(({ name, channelId }, index) =>
      at(index).person.types(channelId, `/agent run secret of ${name}`),
    ),
  );
  for (const [index, { name, channelId }] of teams.entries()) {
    const { person, own } = at(index);
    const posted = () => textOf(workspace.messagesIn(channelId));
    await workspace.until(() => posted().includes(`${name} did: secret of ${name}`));
    const prompts = (await own.runs()).map(({ prompt }) => prompt).sort();
    expect(prompts).toEqual([`begun at ${name}`, `secret of ${name}`]);
    await person.opensHome();
    const home = () => textOf(person.home()?.content);
    await workspace.until(() => home().includes('home:creator'));
    await person.clicks({ view: person.home() ?? never() }, 'home:creator', 'everyone');
    await workspace.until(() => home().includes(`begun at ${name}`));
    const others = teams.filter((each) => each.name !== name).map((each) => each.name);
    for (const other of others) expect(posted() + home(), name).not.toContain(`of ${other}`);
    for (const other of others) expect(posted() + home(), name).not.toContain(`at ${other}`);
    // Run IDs of another service aren't found.
    const [theirs] = await at((index + 1) % teams.length).own.runs();
    await person.types(channelId, `/agent show ${theirs?.runId}`);
    await workspace.until(() => textOf(person.sees(channelId)).includes('Run not found'));
  }
  const ruled = at(0);
  await ruled.person.types(ruled.channelId, '/agent run connection=default go elsewhere');
  await workspace.until(() =>
    textOf(ruled.person.sees(ruled.channelId)).includes('Rule of engines'),
  );
  // The operator's service received no runs of this workspace. The second workspace has no rule, so its run starts.
  const list = await fetch(`${service.apiUrl}/agent/runs`, {
    headers: { authorization: 'Bearer test-key-of-ada-0123456789abcdefgh' },
  });
  expect(((await list.json()) as { runs: unknown[] }).runs).toEqual([]);
  const { person, channelId } = at(1);
  await person.types(channelId, '/agent run connection=default go elsewhere');
  const posted = () => textOf(workspace.messagesIn(channelId));
  await workspace.until(() => posted().includes('go elsewhere'));
  expect(textOf(person.sees(channelId))).not.toContain('Rule of');
});

const never = (): never => {
  throw new Error('Home is not open');
};
