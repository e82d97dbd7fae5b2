import type { RunFeedback } from '../../store/requests/run-feedback.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { onClick } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { feedbackAction, readFeedback } from '../runs/showing/buttons/run-feedback.ts';

type FeedbackDeps = { access: Pick<RunAccess, 'seeRequest'>; feedback: Pick<RunFeedback, 'give'> };

/**
 * The thumbs below a result. Slack fills the one that was clicked, so a click that counts gets no answer. Slack's time of
 * the click decides, so a late or repeated click doesn't undo a newer one. Names are shown nowhere: people rate an agent.
 */
export function registerFeedback(app: Listeners, { access, feedback }: FeedbackDeps): void {
  onClick(app, feedbackAction, async (click) => {
    const clicked = readFeedback(click.value);
    if (!clicked) return;
    const { requestId, isGood } = clicked;
    const { viewer, action } = click;
    const found = await access.seeRequest(viewer, requestId);
    if ('sentence' in found) return answerPrivately(click, { text: found.sentence });
    const at = Math.round(Number(action.action_ts) * 1_000) || Date.now();
    await feedback.give(found.request, { userId: viewer.userId, isGood, at });
  });
}
