import type { RespondFn } from '@slack/bolt';
import type { KnownBlock, ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { plain, section } from '../text/blocks.ts';

type Asked = {
  body: { trigger_id?: string; view?: { id: string; type: string; callback_id: string } };
  client: WebClient;
  respond?: RespondFn | undefined;
};

export type Answer = { text: string; blocks?: KnownBlock[] };

/** The `callback_id` of modals that ask a question: the answer leaves nothing to come back to. */
export const questionView = 'run:question';

export const unknownRun =
  'I do not know this run any more: its message is older than my memory. Its session page may still be there.';

/**
 * Answers a click so that only the person who clicked sees it: below the message, or, where there is no message (the
 * Home tab), in a small modal: in place of the question that the click answered, else on top of the one that is open.
 * `text` is markup with everything of others escaped.
 */
export async function tell({ body, client, respond }: Asked, answer: Answer): Promise<void> {
  const blocks = answer.blocks ?? [section(answer.text)];
  const isOnMessage = 'response_url' in body;
  if (respond && isOnMessage) {
    await respond({
      response_type: 'ephemeral',
      replace_original: false,
      text: answer.text,
      blocks,
    });
    return;
  }
  const view: ModalView = {
    type: 'modal',
    title: plain('Agent runs', 24),
    close: plain('Close', 24),
    blocks,
  };
  const shown = { trigger_id: body.trigger_id ?? '', view };
  if (body.view?.callback_id === questionView)
    await client.views.update({ view_id: body.view.id, view });
  else if (body.view?.type === 'modal') await client.views.push(shown);
  else await client.views.open(shown);
}
