import type { Actor, LocalWorkspace } from 'slack-stand-in';
import { expect, it } from 'vitest';
import { addsRule } from '../../support/product/policy.ts';
import { general, textOf } from '../../support/product/product.ts';
import { option, startAskingRun } from './asking-run.ts';

/** Adds a full member to the channel. */
function joins(workspace: LocalWorkspace, name: string): Actor {
  const id = `U04${name.toUpperCase()}0001`;
  workspace.people.push({ ...workspace.as('grace').person, id, name, realName: name });
  workspace.channels.find((channel) => channel.id === general)?.memberIds.push(id);
  return workspace.as(id);
}

/** Text of the card after each answer, keyed by the ID of its option. */
const outcomes: Readonly<Record<string, string>> = {
  yes: 'Allowed once',
  always: 'Allowed for the rest of the run',
  no: 'Denied by',
};

it('a question of an agent counts one of a hundred clicks by five people on two replicas', async () => {
  const { workspace, ada, grace, api, cardShowing, told } = await startAskingRun({ replicas: 2 });
  const { at } = await cardShowing('Run tests');
  const others = ['mary', 'joan'].map((name) => joins(workspace, name));
  const five = [ada, grace, workspace.as('alan'), ...others];
  const people = five.map(({ person }) => person.id);
  await addsRule({ workspace }, ada, { name: 'Five', people, answer: 'yes' });
  // Slack rejects updates of the card, so people don't see the answer and click again.
  workspace.faults.inject({
    name: 'error_answer',
    method: 'chat.update',
    error: 'internal_error',
    times: 10_000,
  });
  for (let round = 0; round < 20; round += 1)
    await Promise.all(five.map((person, who) => person.clicks(at, option((who + round) % 3))));
  workspace.faults.clear();
  await workspace.until(() => api.posted.length > 0);
  const chosen = Object.keys(outcomes).find((id) => textOf(api.posted).includes(`:"${id}"`));
  await cardShowing(outcomes[chosen ?? ''] ?? 'a known answer');
  expect(api.posted).toHaveLength(1);
  const late = () => five.flatMap((person) => told(person));
  await expect.poll(() => late().length).toBeGreaterThan(50);
  for (const text of late()) expect(text).toContain('already answered this question');
});
