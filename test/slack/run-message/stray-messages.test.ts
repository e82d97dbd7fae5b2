import pino from 'pino';
import { expect, it } from 'vitest';
import { markWorkspace } from '../../../src/slack/connection/workspace-marks.ts';
import { renderControls } from '../../../src/slack/run-message/message-buttons.ts';
import { registerStrayMessages } from '../../../src/slack/run-message/stray-messages.ts';
import { aPost, aRequest } from '../../support/builders.ts';

const place = { channelId: 'D1', ts: '2.2' };
const request = aRequest({ id: 'T1-C1-1.1', teamId: 'T1' });
const { blocks } = markWorkspace(
  { blocks: [renderControls(request, { canBePointed: false })] },
  'T1',
);
const end = { type: 'actions', block_id: 'T1-0-end' };

/**
 * Clicks a button of a message.
 * @returns the messages that were deleted
 */
async function click(body: object): Promise<object[]> {
  const deleted: object[] = [];
  const work: Promise<unknown>[] = [];
  let hear: (body: object, teamId: string) => void = () => {};
  registerStrayMessages(
    {
      hear(listen) {
        hear = listen;
      },
    },
    {
      remove: async (message) => ({ outcome: deleted.push(message) }),
      outbox: { find: async (id) => ({ ...aPost({ id, place }), teamId: 'T1' }) },
      afterwards: (act) => void work.push(act()),
      logger: pino({ enabled: false }),
    },
  );
  hear({ type: 'block_actions', channel: { id: 'C1' }, ...body }, 'T1');
  await Promise.all(work);
  return deleted;
}

it('a click on a lost run message removes it, with the mark of its workspace', async () => {
  const clicked = { actions: [{ block_id: Object(blocks[0]).block_id }] };
  const message = { ts: '1.1', blocks };
  expect(await click({ ...clicked, message })).toEqual([{ channelId: 'C1', ts: '1.1' }]);
});

it("a forged block id doesn't remove another message of the app", async () => {
  const forged = { actions: [{ block_id: Object(blocks[0]).block_id }] };
  expect(await click({ ...forged, message: { ts: '3.3', blocks: [end] } })).toEqual([]);
});
