import { expect, it } from 'vitest';
import { addsRule } from '../../support/product/policy.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

const ada = 'U04ADALOVEL';
const secretProject = 'C04SECRETS1';

it('a step of a workflow starts runs for members in public channels, and anywhere once an admin allows it', async () => {
  const product = await startedProduct();
  const { workspace } = product;
  const runs = (inputs: object) =>
    workspace.runsWorkflowStep('run_agent', { prompt: 'go', wait: false, ...inputs });
  const refusal = async (inputs: object) => {
    const step = await runs(inputs);
    await workspace.until(() => step.status === 'failed');
    return step.error;
  };
  Object.assign(workspace.as('grace').person, { deactivated: true });
  for (const [inputs, sentence] of [
    [{ channel: general }, 'without a person'],
    [{ channel: secretProject, person: ada }, 'in private channels'],
    [{ channel: general, person: 'U04GUESTSAM' }, "Guests can't start"],
    [{ channel: general, person: 'U09STRANGER' }, 'Only members'],
    [{ channel: general, person: 'U04ALERTBOT' }, "Bots can't start"],
    [{ channel: general, person: 'U0NOBODY000' }, 'Only members'],
    [{ channel: general, person: workspace.as('grace').person.id }, "Deactivated accounts can't"],
  ] as const)
    expect(await refusal(inputs)).toContain(sentence);
  await workspace.faults.inject({ name: 'server_error', method: 'users.info', times: 50 });
  const unsure = await refusal({ channel: general, person: workspace.as('alan').person.id });
  expect(unsure).toContain('Run the workflow again');
  workspace.faults.clear();
  expect([general, secretProject].map((id) => runMessageIn(workspace, id))).toEqual([
    undefined,
    undefined,
  ]);

  await runs({ channel: general, person: ada, workflow: 'Nightly *checks*' });
  const message = await runMessageShowing(workspace, 'by workflow');
  expect(textOf(message)).toMatch(/by workflow \*Nightly checks\*, for <@U04ADALOVEL>/);

  await addsRule(product, product.ada, { name: 'Workflows', workflows: 'yes' });
  await runs({ channel: general });
  expect(textOf(await runMessageShowing(workspace, 'by a workflow'))).not.toContain('for <@');
  await runs({ channel: secretProject, person: ada });
  await runMessageShowing(workspace, 'for <@U04ADALOVEL>', secretProject);
});
