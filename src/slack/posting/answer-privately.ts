import type { RespondFn } from '@slack/bolt';
import type { KnownBlock, ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { showModal } from '../modals/show-modal.ts';
import { modal, section } from '../text/blocks.ts';

type Asked = {
  body: { trigger_id?: string; view?: { id: string; type: string; callback_id: string } };
  client: WebClient;
  respond?: RespondFn | undefined;
};

export type Answer = { text: string; blocks?: KnownBlock[] };

/** The `callback_id` of modals that ask a question. The answer replaces them. */
export const questionView = 'run:question';

export const unknownRun =
  "The app doesn't have this run anymore, or it belongs to a conversation that you aren't in.";

/** @param answer blocks, or mrkdwn with user text already escaped */
export const answerView = (answer: string | KnownBlock[]): ModalView =>
  modal({ title: 'Agent runs', blocks: typeof answer === 'string' ? [section(answer)] : answer });

/**
 * Answers a click, visible only to the person who clicked: below the message, or in a small modal if there is no message
 * (Home tab). The modal replaces a question that the click answered, and otherwise opens on top of an open modal.
 * @param answer its `text` is mrkdwn with user text already escaped
 */
export async function answerPrivately(
  { body, client, respond }: Asked,
  answer: Answer,
): Promise<void> {
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
  const view = answerView(blocks);
  if (body.view?.callback_id === questionView)
    await client.views.update({ view_id: body.view.id, view });
  else await showModal({ body, client }, view);
}
