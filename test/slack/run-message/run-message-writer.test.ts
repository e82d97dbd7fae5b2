import { expect, it } from 'vitest';
import { useWorkspace } from '../../../packages/slack-stand-in/test/support/use-workspace.ts';
import { renderRunMessage } from '../../../src/slack/run-message/render-run-message.ts';
import { createRunMessageWriter } from '../../../src/slack/run-message/run-message-writer.ts';
import { aRequest, aRun } from '../../support/builders.ts';
import { unlimitedBudget } from '../../support/posting/unlimited-budget.ts';
import { createSlackClient } from '../../support/slack-client.ts';

const { startWorkspace } = useWorkspace();
const channelId = 'C04ENGINEER';
const running = renderRunMessage(aRequest({ channelId }));
const answered = (answer: string) =>
  renderRunMessage(
    aRequest({
      channelId,
      step: 'ended',
      run: aRun({ state: 'SUCCEEDED', agent_progress: { answer } }),
    }),
  );

async function start(blockMismatchAfterMarkdown: boolean) {
  const workspace = await startWorkspace({ blockMismatchAfterMarkdown });
  const client = createSlackClient(workspace);
  const writer = createRunMessageWriter({ client, budget: unlimitedBudget });
  const posted = await writer.post(
    aRequest({ channelId }),
    channelId,
    answered('- one\n- **two**'),
  );
  const place = posted.outcome === 'posted' ? posted.place : { channelId, ts: '' };
  return {
    place,
    writer,
    reject: (error: string, times: number) =>
      workspace.faults.inject({ name: 'error_answer', method: 'chat.update', error, times }),
    shown: () => JSON.stringify(workspace.messagesIn(channelId).at(-1)?.blocks),
    updates: () => workspace.traffic.recent().filter(({ name }) => name === 'chat.update').length,
  };
}

it.each([
  [true, 3],
  [false, 2],
])(
  'shows that a run continues after its answer, if Slack keeps rich text: %s',
  async (isStrict, calls) => {
    const { writer, place, shown, updates } = await start(isStrict);
    expect(shown()).toContain('rich_text_list');
    expect(await writer.update(place, running)).toEqual({ outcome: 'shown' });
    expect(shown()).toContain('In progress');
    expect(shown()).not.toContain('rich_text_list');
    // The writer doesn't retry a form that Slack rejected once.
    expect(await writer.update(place, running)).toEqual({ outcome: 'shown' });
    expect(updates()).toBe(calls);
    for (const answer of ['# Only a heading', '- a list']) {
      expect(await writer.update(place, answered(answer))).toEqual({ outcome: 'shown' });
      expect(shown()).toContain(answer.slice(2));
    }
  },
);

it('shortens a message that is too much, and keeps rich text in it', async () => {
  const { writer, place, reject, shown } = await start(true);
  await reject('invalid_blocks', 1);
  expect(await writer.update(place, running)).toEqual({ outcome: 'shown' });
  expect(shown()).toContain('In progress');
});

it('asks for a new message if nothing is accepted in the old one', async () => {
  const { writer, place, reject } = await start(true);
  await reject('block_mismatch', 10);
  expect(await writer.update(place, running)).toEqual({
    outcome: 'gone',
    reason: 'block_mismatch',
    repost: 'here',
  });
});
