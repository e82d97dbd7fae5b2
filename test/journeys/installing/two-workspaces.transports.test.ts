import { join } from 'node:path';
import { createDemoEnvironments } from 'demo/create-demo-environments';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../packages/runs-service/test/support/runs-service.ts';
import { demoAgent } from '../../../packages/runs-service/test/support/service/demo-agent.ts';
import { textOf } from '../../support/product/product.ts';
import {
  expectNothingOf,
  first,
  organization,
  outside,
  second,
  startTwoWorkspaces,
} from '../../support/product/two-workspaces.ts';

describe.each([
  ['the first workspace', { namedTeamId: first.teamId }],
  ['the organization', { namedTeamId: organization }],
  ['a workspace that the app is not in', { namedTeamId: 'T09UNKNOWN1' }],
  ['the first workspace, with an installation in each', { isEach: true }],
  [
    "the organization, with the organization's token",
    { namedTeamId: organization, isByToken: true },
  ],
])('for a person in two workspaces, whom Slack places in %s,', (_, options) => {
  it('buttons, forms and options act where they are', async () => {
    const product = await startTwoWorkspaces(options);
    const { personIn, runShowing, modalShowing, answerShowing } = product;
    const there = personIn(second);
    await there.types(second.channelId, '/agent run wait in the second');
    const run = await runShowing(second, 'In progress');
    const onRun = { channelId: second.channelId, messageTs: run.ts };
    await there.clicks(onRun, 'run:cancel');
    await runShowing(second, 'Canceled');

    // Open a second form on top of the first.
    await there.types(second.channelId, '/agent from the form');
    await modalShowing(there, 'start-run:more');
    expect(textOf(await there.searches('start-run:environment', ''))).toContain('shell');
    expect(await there.submits()).toEqual({});
    await runShowing(second, 'done: from the form');

    await there.clicks(onRun, 'run:again');
    expect((await runShowing(second, 'In progress')).ts).not.toBe(run.ts);
    await there.clicks(onRun, 'run:details');
    await modalShowing(there, '*Timeline*');
    await there.closesModal();
    await there.types(second.channelId, '/agent help');
    const help = await answerShowing(second, 'opens the form');
    await there.clicks({ channelId: second.channelId, messageTs: help.ts }, 'agent-command:list');
    await answerShowing(second, 'from the form');
    expectNothingOf('from the form', product, first);
  });

  it('shortcuts start runs where they are, and ask if Slack names no workspace', async () => {
    const product = await startTwoWorkspaces(options);
    const { personIn, runShowing, modalShowing, workspace } = product;
    const there = personIn(second);
    await there.usesGlobalShortcut('global-shortcut:run');
    const shown = await workspace.until(() => there.modal());
    if (!('isEach' in options)) {
      expect(textOf(shown.content)).toContain('Which workspace');
      expect(textOf(shown.content)).not.toContain('Team 3');
      await there.clicks(
        { view: shown },
        { blockId: `${second.teamId}-choose`, actionId: 'run:new' },
      );
      await modalShowing(there, 'start-run:more');
      await there.submits({ prompt: 'by shortcut', channel: second.channelId });
      await runShowing(second, 'done: by shortcut');
    }
    const { message } = await there.types(second.channelId, 'count the crates');
    const at = { channelId: second.channelId, ts: message?.ts ?? '' };
    await there.usesMessageShortcut('message-shortcut:run', at);
    await modalShowing(there, 'count the crates');
    await there.submits();
    await runShowing(second, 'done: count the crates');
    expectNothingOf('crates', product, first);
  });

  it('each Home tab shows and does what belongs to its workspace', async () => {
    const product = await startTwoWorkspaces(options);
    const { personIn, runShowing, homeShowing, modalShowing, workspace } = product;
    const [here, there] = [personIn(first), personIn(second)];
    await here.types(first.channelId, '/agent run wait engines');
    await there.types(second.channelId, '/agent run wait compilers');
    await runShowing(first, 'In progress');
    await runShowing(second, 'In progress');
    await here.opensHome();
    await there.opensHome();
    await homeShowing(first, 'wait engines');
    const home = await homeShowing(second, 'wait compilers');
    expectNothingOf('compilers', product, first);
    expectNothingOf('engines', product, second);

    await there.clicks({ view: home }, 'run:new');
    await modalShowing(there, 'start-run:more');
    await there.submits({ prompt: 'new from Home', channel: second.channelId });
    await runShowing(second, 'done: new from Home');

    await there.clicks({ view: home }, 'home:find');
    await modalShowing(there, 'Find');
    await there.submits({ search: 'compilers' });
    await homeShowing(second, 'Clear filters');
    expect(textOf(here.home()?.content)).not.toContain('Clear filters');

    const menu = /"action_id":"(run:row:[^"]+)"/.exec(textOf(there.home()?.content))?.[1] ?? '';
    const cancel = /"value":"(cancel:[^"]+)"/.exec(textOf(there.home()?.content))?.[1];
    await there.clicks({ view: await homeShowing(second, 'compilers') }, menu, cancel);
    const question = await modalShowing(there, 'Cancel this run?');
    await there.clicks({ view: question }, 'run:cancel');
    await runShowing(second, 'Canceled');
    expect(textOf(product.messagesIn(first))).not.toContain('Canceled');
    await workspace.settled();
    expectNothingOf('compilers', product, first);
  });
});

it('what names another workspace does nothing there, for who is not in it, and nothing here', async () => {
  const product = await startTwoWorkspaces();
  const { personIn, modalShowing, workspace, messagesIn } = product;
  const there = personIn(second);
  await there.types(second.channelId, '/agent not for others');
  const view = await modalShowing(there, 'start-run:more');
  await there.submits();
  const isIt = (request: unknown) => Object(request).type === 'view_submission';
  const sent = workspace.traffic.recent().findLast(({ request }) => isIt(request));
  const forged = async (team: string) => {
    const payload = structuredClone(Object(sent?.request));
    const metadata = JSON.parse(payload.view.private_metadata);
    payload.view.private_metadata = JSON.stringify({ ...metadata, team });
    payload.view.id = `V${team}`;
    payload.trigger_id = `1.2.${team}`;
    return textOf(await workspace.deliver({ kind: 'interactive', payload }));
  };
  expect(await forged(outside.teamId)).toContain('"response_action":"errors"');
  for (const other of ['T09UNKNOWN1', organization])
    expect(await forged(other)).toContain("The app isn't in this workspace anymore");
  await workspace.settled();
  expect(messagesIn(outside)).toEqual([]);
  expect(messagesIn(first)).toEqual([]);
  expect(view.teamId).toBe(second.teamId);
});

it("a click of another company that names a workspace and a run of ours doesn't change the run", async () => {
  const product = await startTwoWorkspaces({ isEach: true });
  const { workspace, runShowing } = product;
  const [ours, theirs] = [workspace.as(first.admin), workspace.as(outside.admin)];
  await ours.types(first.channelId, '/agent run wait for us');
  await theirs.types(outside.channelId, '/agent run wait for them');
  const controls = textOf((await runShowing(first, 'In progress')).blocks);
  const own = await runShowing(outside, 'In progress');
  await theirs.clicks({ channelId: outside.channelId, messageTs: own.ts }, 'run:details');
  const isIt = (request: unknown) => Object(request).type === 'block_actions';
  const sent = workspace.traffic.recent().findLast(({ request }) => isIt(request));
  const [, block_id, requestId] =
    /"block_id":"((T06TEAM0001-[^" ]+) run-message)"/.exec(controls) ?? [];
  for (const action_id of ['run:cancel', 'run:details', 'run-message:menu']) {
    const payload = structuredClone(Object(sent?.request));
    const value = action_id === 'run-message:menu' ? `stop:${requestId}` : requestId;
    Object.assign(payload.actions[0], {
      action_id,
      block_id,
      value,
      selected_option: { value },
      action_ts: `9.${action_id.length}`,
    });
    payload.trigger_id = `1.2.${action_id}`;
    await workspace.deliver({ kind: 'interactive', payload });
  }
  await workspace.settled();
  const answers = workspace.traffic.recent().filter(({ name }) => name === 'response_url');
  expect(answers.map(({ request }) => Object(request).text)).toEqual(
    ['run:cancel', 'run-message:menu'].map(() => expect.stringMatching(/^Only /)),
  );
  expect(textOf(theirs.modal() ?? {})).not.toContain('wait for us');
  await runShowing(first, 'In progress');
  await runShowing(outside, 'In progress');
});

it('an agent’s question is answered in the workspace of its run, by button and by form', async () => {
  const folder = join(temporaryFolder(), 'demo');
  const environments = await createDemoEnvironments({ folder, agent: demoAgent() });
  const product = await startTwoWorkspaces({ namedTeamId: organization, environments });
  const { personIn, runShowing, workspace, modalShowing } = product;
  const there = personIn(second);
  const asked = async (prompt: string, words: string) => {
    await there.types(second.channelId, `/agent run ${prompt}`);
    const { ts } = await runShowing(second, 'Needs input');
    const card = await workspace.until(() =>
      workspace
        .messagesIn(second.channelId, { thread: ts })
        .find((each) => each.ts !== ts && textOf(each.blocks).includes(words)),
    );
    return { channelId: second.channelId, messageTs: card.ts };
  };
  await there.clicks(await asked('ask before you delete README.md', 'rm'), 'question:option:0');
  await runShowing(second, 'Deleted README.md.');
  await there.clicks(await asked('ask me: what is it called?', 'called?'), 'question:open');
  await modalShowing(there, 'called?');
  expect(await there.submits({ text: 'Fern' })).toEqual({});
  await runShowing(second, 'You answered: Fern');
});
