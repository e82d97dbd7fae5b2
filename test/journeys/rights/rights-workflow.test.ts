import { describe, expect, it } from 'vitest';
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

/** A product, and steps of workflows in it. */
async function workflows() {
  const product = await startedProduct();
  const { workspace } = product;
  return {
    ...product,
    async refusal(inputs: object) {
      const step = await workspace.runsWorkflowStep('run_agent', { prompt: 'go', ...inputs });
      await workspace.until(() => step.status === 'failed');
      return step.error;
    },
    runs: (inputs: object) =>
      workspace.runsWorkflowStep('run_agent', { prompt: 'go', wait: false, ...inputs }),
  };
}

describe('a step of a workflow', () => {
  it.each([
    ['without a person', { channel: general }, 'without a person'],
    ['in a private channel', { channel: secretProject, person: ada }, 'in private channels'],
    ['as a guest', { channel: general, person: 'U04GUESTSAM' }, "Guests can't start"],
    ['as a stranger', { channel: general, person: 'U09STRANGER' }, 'Only members'],
    ['as a bot', { channel: general, person: 'U04ALERTBOT' }, "Bots can't start"],
    ['as nobody', { channel: general, person: 'U0NOBODY000' }, 'Only members'],
  ])('starts nothing %s and says why', async (_, inputs, sentence) => {
    const { workspace, refusal } = await workflows();
    expect(await refusal(inputs)).toContain(sentence);
    expect(runMessageIn(workspace, inputs.channel)).toBeUndefined();
  });

  it('starts nothing as someone who was deactivated', async () => {
    const { grace, refusal } = await workflows();
    Object.assign(grace.person, { deactivated: true });
    const reason = await refusal({ channel: general, person: grace.person.id });
    expect(reason).toContain("Deactivated accounts can't start");
  });

  it("starts nothing while Slack doesn't say who the person is", async () => {
    const { workspace, refusal } = await workflows();
    await workspace.faults.inject({ name: 'server_error', method: 'users.info', times: 50 });
    expect(await refusal({ channel: general, person: ada })).toContain('Run the workflow again');
  });

  it('shows in the run message which workflow it was and for whom', async () => {
    const { workspace, runs } = await workflows();
    await runs({ channel: general, person: ada, workflow: 'Nightly *checks*' });
    const message = await runMessageShowing(workspace, 'by workflow');
    expect(textOf(message)).toMatch(/by workflow \*Nightly checks\*, for <@U04ADALOVEL>/);
  });

  it('starts runs anywhere once an admin allows it', async () => {
    const product = await workflows();
    const { workspace, runs } = product;
    const admin = workspace.as('ada');
    await addsRule(product, admin, { name: 'Workflows', workflows: 'yes' });
    await runs({ channel: general });
    expect(textOf(await runMessageShowing(workspace, 'by a workflow'))).not.toContain('for <@');
    await runs({ channel: secretProject, person: ada });
    await runMessageShowing(workspace, 'for <@U04ADALOVEL>', secretProject);
  });
});
