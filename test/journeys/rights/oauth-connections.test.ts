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
  {
    name: 'sixth',
    admin: 'U06ADM0001',
    id: 'U06ADM0001',
    teamId: 'T06TEAM0001',
    channelId: 'C06GEN0001',
  },
] as const;

it('three workspaces install the app, connect different services, set rules, and see nothing of each other', async () => {
  const product = await startOAuthProduct({ moreTeams: 1, connectionHosts: ['127.0.0.1'] });
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
  for (const index of [0, 1]) {
    const { person, name, channelId } = at(index);
    const rule = { name: `Rule of ${name}`, connections: 'ours' };
    await addsRule(product, person, rule, channelId);
  }
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
    // A run of another service isn't found by its id.
    const [theirs] = await at((index + 1) % teams.length).own.runs();
    await person.types(channelId, `/agent show ${theirs?.runId}`);
    await workspace.until(() => textOf(person.sees(channelId)).includes('Run not found'));
  }
  for (const index of [0, 1]) {
    const { person, name, channelId } = at(index);
    await person.types(channelId, '/agent run connection=default go elsewhere');
    await workspace.until(() => textOf(person.sees(channelId)).includes(`Rule of ${name}`));
    expect(textOf(person.sees(channelId))).not.toContain(`Rule of ${at(1 - index).name}`);
  }
  // The operator's service got nothing of theirs. The third workspace has no rule.
  const list = await fetch(`${service.apiUrl}/agent/runs`, {
    headers: { authorization: 'Bearer test-key-of-ada-0123456789abcdefgh' },
  });
  expect(((await list.json()) as { runs: unknown[] }).runs).toEqual([]);
  const { person, channelId } = at(2);
  await person.types(channelId, '/agent run connection=default go elsewhere');
  const posted = () => textOf(workspace.messagesIn(channelId));
  await workspace.until(() => posted().includes('go elsewhere'));
  expect(textOf(person.sees(channelId))).not.toContain('Rule of');
});

const never = (): never => {
  throw new Error('Home is not open');
};
