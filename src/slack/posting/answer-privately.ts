import type { RespondFn } from '@slack/bolt';
import type { KnownBlock, ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { modal, section } from '../text/blocks.ts';
import { showModal } from './modals.ts';
import { isDirect } from './post-privately.ts';

type Clicked = {
  body: {
    trigger_id?: string;
    view?: { id: string; type: string; callback_id: string };
    container?: unknown;
  };
  client: WebClient;
  respond?: RespondFn | undefined;
};

export type Answer = { text: string; blocks?: KnownBlock[] };

/** The `callback_id` of modals that ask a question. An answer replaces these modals. */
export const questionView = 'run:question';

export const unknownRun =
  "The app doesn't have this run anymore, or it belongs to a conversation that you aren't in.";

/**
 * Renders the modal with an answer.
 * @param answer blocks, or mrkdwn with user text already escaped
 */
export const answerView = (answer: string | KnownBlock[]): ModalView =>
  modal({ title: 'Agent runs', blocks: typeof answer === 'string' ? [section(answer)] : answer });

/**
 * Answers a click, visible only to the person who clicked. Shows the answer below the clicked message, or in a small
 * modal if a view was clicked. The modal replaces a question that the click answered, and otherwise opens on top of an
 * open modal.
 * @param answer its `text` is mrkdwn with user text already escaped
 */
export async function answerPrivately(
  { body, client, respond }: Clicked,
  answer: Answer,
): Promise<void> {
  const blocks = answer.blocks ?? [section(answer.text)];
  const isOnMessage = 'response_url' in body;
  if (respond && isOnMessage) {
    await respond({
      ...(belowClicked(body.container) ?? { response_type: 'ephemeral' }),
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

const containerSchema = z.object({
  type: z.literal('message'),
  channel_id: z.string(),
  message_ts: z.string(),
  thread_ts: z.string().optional(),
  is_ephemeral: z.literal(false).optional(),
});

/**
 * Returns the thread of the clicked message in direct messages with the app, and undefined elsewhere. Answers there are
 * ordinary messages, because ephemeral ones don't last and only this person reads them.
 */
function belowClicked(container: unknown) {
  const { data } = containerSchema.safeParse(container);
  if (!data || !isDirect(data.channel_id)) return undefined;
  const { message_ts: ts, thread_ts: threadTs = ts } = data;
  return { response_type: 'in_channel', thread_ts: threadTs } as const;
}
