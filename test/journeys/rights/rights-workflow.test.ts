import { expect, it } from 'vitest';
import { modalShowing, opensConnections, pressesFor } from '../../support/product/connecting.ts';
import { createKeyedService } from '../../support/product/keyed-service.ts';
import { addsRule, allowsWorkflows } from '../../support/product/policy.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const ada = 'U04ADALOVEL';
const secretProject = 'C04SECRETS1';

it('a step of a workflow starts runs only where a rule for workflows allows it, whoever it names', async () => {
  const product = await startProduct();
  await product.startBot({}, undefined, { personWaitMs: 0 });
  const { workspace } = product;
  const runs = (inputs: object) =>
    workspace.runsWorkflowStep('run_agent', { prompt: 'go', wait: false, ...inputs });
  const denial = async (inputs: object) => {
    const step = await runs(inputs);
    await workspace.until(() => step.status === 'failed');
    return step.error;
  };
  const needsRule = "Workflows can't start runs here without a rule that allows it";
  for (const inputs of [{ channel: general }, { channel: general, person: ada }])
    expect(await denial(inputs)).toContain(needsRule);
  // A rule for the named person doesn't apply to the workflow.
  const named = { name: 'Ada', people: [ada], start: 'yes', workflows: 'yes' };
  await addsRule(product, product.ada, named);
  expect(await denial({ channel: general, person: ada })).toContain(needsRule);

  const here = { name: 'Workflows', workflows: 'yes', channels: [general], environments: 'shell' };
  await addsRule(product, product.ada, { ...here, after: 'Ada' });
  expect(await denial({ channel: secretProject, person: ada })).toContain(needsRule);
  expect(await denial({ channel: general, environment: 'prod', person: ada })).toContain(
    'only allows the environment "shell"',
  );
  Object.assign(workspace.as('grace').person, { deactivated: true });
  for (const person of [
    'U04GUESTSAM',
    'U09STRANGER',
    'U04ALERTBOT',
    workspace.as('grace').person.id,
  ])
    expect(await denial({ channel: general, environment: 'shell', person })).toContain(
      'must be an active full member',
    );
  await workspace.faults.inject({ name: 'server_error', method: 'users.info', times: 50 });
  const unsure = await denial({ channel: general, person: workspace.as('alan').person.id });
  expect(unsure).toContain('Run the workflow again');
  workspace.faults.clear();
  expect([general, secretProject].map((id) => runMessageIn(workspace, id))).toEqual([
    undefined,
    undefined,
  ]);

  const inShell = { channel: general, environment: 'shell' };
  await runs({ ...inShell, person: ada, workflow: 'Nightly *checks*' });
  const message = await runMessageShowing(workspace, 'by workflow');
  expect(textOf(message)).toMatch(/by workflow \*Nightly checks\*, for <@U04ADALOVEL>/);
  await runs(inShell);
  expect(textOf(await runMessageShowing(workspace, 'by a workflow'))).not.toContain('for <@');
});

it("a step of a workflow uses the workspace's key, and never that of the person it names", async () => {
  const keyed = await createKeyedService('first');
  const product = await startProduct({
    runsApi: { baseUrl: keyed.url, apiKey: keyed.adminKey },
    connectionHosts: ['127.0.0.1'],
  });
  await product.startBot();
  const { workspace, grace } = product;
  await opensConnections(product, grace, general);
  await pressesFor(grace, 'default', 'connections:own');
  await modalShowing(product, grace, 'Connect your key');
  expect(await grace.submits({ key: keyed.graceKey })).toEqual({});
  await grace.closesModal({ all: true });
  await grace.types(general, '/agent run by myself');
  await runMessageShowing(workspace, 'did: by myself');

  await allowsWorkflows(product);
  const inputs = { prompt: 'by a workflow', channel: general, person: grace.person.id };
  await workspace.runsWorkflowStep('run_agent', inputs);
  await runMessageShowing(workspace, 'did: by a workflow');
  expect((await keyed.runs()).map(({ prompt, by }) => [prompt, by])).toEqual([
    ['by a workflow', 'admin'],
    ['by myself', 'grace'],
  ]);
});
