import type { Actor } from 'slack-stand-in';
import { describe, expect, it } from 'vitest';
import { addsRule, clicksTo, openModalOf, opensRules } from '../../support/product/policy.ts';
import {
  general,
  opensModal,
  picked,
  runMessageIn,
  runMessageShowing,
  runMessagesIn,
  startedProduct as startedBot,
  textOf,
} from '../../support/product/product.ts';
import { savesSettings } from '../../support/product/settings.ts';

const engineering = 'C04ENGINEER';
const managers = 'C04MANAGERS';

async function startedProduct(...changes: Parameters<typeof startedBot>) {
  const product = await startedBot(...changes);
  const { workspace } = product;
  const told = (person: Actor, words: string, channelId = general) =>
    workspace.until(() => {
      const last = person.sees(channelId).findLast(({ visibleTo }) => visibleTo !== undefined);
      return textOf(last).includes(words) ? textOf(last) : undefined;
    });
  return { ...product, told, alan: workspace.as('alan') };
}

describe('a start that a rule rejects', () => {
  it('is rejected at every door, with the rule and whom to ask', async () => {
    const product = await startedProduct();
    const { ada, grace, workspace, told } = product;
    await grace.types(general, '/agent run wait');
    const accepted = await runMessageShowing(workspace, 'In progress');
    await addsRule(product, ada, { name: 'Leads', people: [ada.person.id], start: 'yes' });
    await addsRule(product, ada, { name: 'Everyone', after: 'Leads', start: 'no', cancel: 'no' });
    // The new rule doesn't apply to runs that were accepted earlier.
    await grace.clicks({ channelId: general, messageTs: accepted.ts }, 'run:cancel');
    await runMessageShowing(workspace, 'Canceled');
    const sentence =
      'The rule \\"Everyone\\" blocks starting runs. Ask a workspace admin to change it.';
    await grace.types(general, '/agent run go');
    await told(grace, sentence);
    await grace.types(general, '/agent go');
    await workspace.until(() => textOf(grace.modal()?.content).includes(sentence));
    await grace.types(general, `<@${workspace.bot.userId}> go`);
    await workspace.until(() => textOf(workspace.messagesIn(general)).includes(sentence));
    await ada.types(general, '/agent run wait for it');
    const message = await runMessageShowing(workspace, 'In progress');
    const at = { channelId: general, messageTs: message.ts };
    await grace.types(general, `<@${workspace.bot.userId}> more`, { threadTs: message.ts });
    await workspace.until(() =>
      textOf(workspace.messagesIn(general, { thread: message.ts })).includes(
        'blocks sending messages to agents. Ask a workspace admin to change it.',
      ),
    );
    await ada.clicks(at, 'run:cancel');
    await runMessageShowing(workspace, 'Canceled');
    const before = workspace.messagesIn(general).length;
    await grace.clicks(at, 'run:again');
    await workspace.until(() =>
      textOf(workspace.messagesIn(general).slice(before)).includes(sentence),
    );
    const step = await workspace.runsWorkflowStep('run_agent', {
      prompt: 'go',
      channel: general,
      person: grace.person.id,
    });
    await workspace.until(() => step.status !== 'running');
    expect(textOf(step)).toContain(sentence.slice(0, 30));
    expect(runMessagesIn(workspace)).toHaveLength(2);
  });

  it('can start elsewhere, and the form says so; a rule can also be for private channels', async () => {
    const product = await startedProduct();
    const { ada, grace, workspace } = product;
    await addsRule(product, ada, { name: 'Quiet', channels: [general], start: 'no' });
    await opensModal(product, grace, '/agent go');
    const rejected = 'The rule \\"Quiet\\" blocks starting runs here';
    await workspace.until(() => textOf(grace.modal()?.content).includes(rejected));
    expect((await grace.submits()).errors?.['prompt']).toContain('The rule "Quiet"');
    expect((await grace.submits({ channel: engineering })).errors).toBeUndefined();
    await runMessageShowing(workspace, 'Succeeded', engineering);

    await workspace.as('ada').invitesApp(managers);
    await addsRule(product, ada, { name: 'Open', conversations: ['private'], start: 'no' });
    await ada.types(managers, '/agent run go');
    await product.told(ada, 'The rule \\"Open\\" blocks starting runs here', managers);
    expect(runMessageIn(workspace, managers)).toBeUndefined();
  });
});

describe('what a rule lets people choose', () => {
  it('is all that the form offers and takes', async () => {
    const product = await startedProduct();
    const { ada, grace, workspace } = product;
    await addsRule(product, ada, {
      name: 'Small',
      environments: 'shell',
      models: 'small, default',
      mcp_servers: 'no',
    });
    await grace.types(general, '/agent run --dry-run env=shell model=huge go');
    await workspace.until(() =>
      textOf(grace.sees(general).at(-1)).includes(
        'This run would be blocked.* The rule \\"Small\\"',
      ),
    );
    await grace.types(general, '/agent run --dry-run env=shell model=small go');
    await workspace.until(() => textOf(grace.sees(general).at(-1)).includes('Model: `small`'));
    expect(textOf(grace.sees(general).at(-1))).not.toContain('rejected');
    await opensModal(product, grace, '/agent go');
    expect(textOf(await grace.searches('start-run:environment', ''))).toContain('shell');
    expect(textOf(await grace.searches('start-run:environment', 'prod'))).not.toContain('prod');
    const { errors } = await grace.submits({ environment_id: picked('prod') });
    expect(errors?.['environment_id']).toContain('no environment prod');
    expect((await grace.submits({ environment_id: null })).errors?.['environment_id']).toBe(
      'The rule "Small" only allows the environment "shell". Choose it, or ask a workspace admin to change the rule.',
    );
    await grace.clicks({ view: openModalOf(grace) }, 'start-run:more');
    await workspace.until(() => textOf(grace.modal()?.content).includes('"mcp_servers"'));
    const models = textOf(await grace.searches('start-run:model', ''));
    expect(models).toContain('small');
    expect(textOf(await grace.searches('start-run:model', 'huge'))).not.toContain('huge');
    const more = { environment_id: picked('shell'), model_id: picked('huge') };
    expect((await grace.submits(more)).errors?.['model_id']).toContain('only allows the model');
    const servers = { model_id: picked('small'), mcp_servers: '{"a":{"url":"https://a.test"}}' };
    expect((await grace.submits(servers)).errors?.['mcp_servers']).toContain('adding MCP servers');
    expect((await grace.submits({ mcp_servers: null })).errors).toBeUndefined();
    await runMessageShowing(workspace, 'Succeeded');

    // The rule applies to defaults and typed options too.
    await savesSettings(product, grace, 'person:defaults', { 'person:model_id': picked('huge') });
    await grace.types(general, '/agent run env=shell go');
    await product.told(grace, 'The rule \\"Small\\" only allows the model \\"small\\"');
    await grace.types(general, '/agent run env=shell model=small wait');
    await runMessageShowing(workspace, 'In progress');
  });
});

it('limits of a rule are for each person', async () => {
  const product = await startedProduct();
  const { ada, grace, workspace, told } = product;
  await addsRule(product, ada, { name: 'Fair', active_runs: '1', starts_per_hour: '2' });
  await grace.types(general, '/agent run wait');
  const message = await runMessageShowing(workspace, 'In progress');
  await grace.types(general, '/agent run more');
  await told(grace, 'You have 1 run active. The rule \\"Fair\\" allows 1. Wait for one to finish');
  await grace.clicks({ channelId: general, messageTs: message.ts }, 'run:cancel');
  await runMessageShowing(workspace, 'Canceled');
  await grace.types(general, '/agent run more');
  await runMessageShowing(workspace, 'Succeeded');
  await grace.types(general, '/agent run still more');
  await told(grace, 'You started 2 runs in the last hour. The rule \\"Fair\\" allows 2. Try again');
  await ada.types(general, '/agent run mine');
  await workspace.until(() => runMessagesIn(workspace).length === 3);
});

it('user groups of a rule count as Slack has them now', async () => {
  const product = await startedProduct();
  const { ada, grace, workspace, told } = product;
  const group = workspace.userGroups.find(({ handle }) => handle === 'oncall');
  if (!group) throw new Error('no group');
  await addsRule(product, ada, { name: 'Everyone', start: 'no' });
  await opensRules(product, ada);
  await clicksTo(product, ada, 'policy:add', 'starts_per_hour');
  const [oncall] = await ada.searches('policy:groups', 'onc');
  await ada.submits({ name: 'On call', groups: [oncall], allow: ['start'], after: ':first' });
  await workspace.until(() => textOf(ada.modal()?.content).includes('*1. On call*'));
  await ada.types(general, '/agent run go');
  await told(ada, 'The rule \\"Everyone\\"');
  await workspace.changesGroup(group.id, [ada.person.id]);
  await ada.types(general, '/agent run go');
  await runMessageShowing(workspace, 'Succeeded');
  await grace.types(general, '/agent run go');
  await told(grace, 'The rule \\"Everyone\\"');
});
