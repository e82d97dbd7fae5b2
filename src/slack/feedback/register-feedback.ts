import type { BlockAction, FeedbackButtonsAction } from '@slack/bolt';
import type { RunFeedback } from '../../store/requests/run-feedback.ts';
import { acknowledgeAfter } from '../connection/acknowledge-in-time.ts';
import type { Listeners } from '../connection/listeners.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { viewerOf } from '../runs/click.ts';
import type { RunDoor } from '../runs/run-door.ts';
import { feedbackAction, readFeedback } from '../runs/run-feedback.ts';

type FeedbackParts = { door: Pick<RunDoor, 'seeRequest'>; feedback: Pick<RunFeedback, 'give'> };

/** The thumbs below a result. Slack fills the one that was clicked, so a click that counts gets no answer. */
export function registerFeedback(app: Listeners, { door, feedback }: FeedbackParts): void {
  const filter = { type: 'block_actions', action_id: feedbackAction } as const;
  app.action<BlockAction<FeedbackButtonsAction>>(filter, async ({ ack, action, ...arrived }) => {
    const { body, context } = arrived;
    await acknowledgeAfter({ ack, context }, async () => {
      const clicked = readFeedback(action.value);
      if (!clicked) return;
      const { requestId, isGood } = clicked;
      const found = await door.seeRequest(viewerOf(body, context.teamId), requestId);
      if ('sentence' in found) return answerPrivately(arrived, { text: found.sentence });
      const at = Math.round(Number(action.action_ts) * 1_000) || Date.now();
      await feedback.give(found.request, { userId: body.user.id, isGood, at });
    });
  });
}
