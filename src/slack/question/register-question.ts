import type { ModalView } from '@slack/types';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { Answers } from '../../store/requests/answers.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { answerPrivately, answerView } from '../posting/answer-privately.ts';
import { showModal } from '../posting/modals.ts';
import { answeredBefore, closed, storeAnswer } from '../runs/acting/answer-question.ts';
import { type Clicked, onClick, onOpeningClick, viewerOf } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { type OpenQuestion, openQuestion, readQuestionPost } from '../runs/run-question.ts';
import { answerAction } from '../runs/showing/buttons/run-buttons.ts';
import { plainWords } from '../text/typed-text.ts';
import {
  questionActions,
  readForm,
  readSubject,
  renderForm,
  renderToRead,
  requestOf,
} from './question-form.ts';

/**
 * Registers the buttons and the form of a question. A click is acknowledged when the answer is stored. The follower
 * sends the answer to the runs service.
 */
export function registerQuestion(
  app: Listeners,
  deps: { answers: Answers; outbox: Outbox; access: RunAccess; wake(): void },
): void {
  const { answers, outbox, access, wake } = deps;
  onClick(app, new RegExp(`^${questionActions.option}`), (click) => {
    const { action_id: id } = click.action;
    return choose(click, Number(id.slice(questionActions.option.length)));
  });
  onClick(app, questionActions.pick, (click) => choose(click, Number.parseInt(click.value, 10)));
  onOpeningClick(app, answerAction, async (click) =>
    showModal(click, await draw(click.viewer, click.value)),
  );

  app.view(questionActions.form, async ({ ack, body, view, context }) => {
    const { postId, conversationId } = readSubject(view);
    const [field = 'text'] = Object.keys(view.state.values);
    const reject = (errors: Record<string, string>) => ack({ response_action: 'errors', errors });
    const viewer = { ...viewerOf(body, context.teamId), conversationId };
    const found = await access.answerInForm(viewer, requestOf(postId));
    if ('sentence' in found) return reject({ [field]: plainWords(found.sentence) });
    const open = questionOf(found.request, postId);
    if (!open) return reject({ [field]: plainWords(answeredBefore(await answers.find(postId))) });
    const read = readForm(view.state, open.question);
    if ('errors' in read) return reject(read.errors);
    const problem = await storeAnswer({ answers, wake }, found, open, read.chosen);
    await (problem ? reject({ [field]: plainWords(problem) }) : ack());
  });

  async function choose(click: Clicked, index: number): Promise<void> {
    const { viewer, action } = click;
    const { block_id: postId } = action;
    const tell = (text: string) => answerPrivately(click, { text });
    const found = await access.answer(viewer, requestOf(postId));
    if ('sentence' in found) return tell(found.sentence);
    const open = questionOf(found.request, postId);
    const option = open?.question.options[index];
    if (!open || !option) return tell(answeredBefore(await answers.find(postId)));
    const chosen = { optionId: option.id, text: option.label };
    const problem = await storeAnswer({ answers, wake }, found, open, chosen);
    if (problem) await tell(problem);
  }

  /**
   * Renders the form, or why the person can't answer.
   * @param value ID of the question's post, or of a request for its open question
   */
  async function draw(viewer: RunViewer, value: string): Promise<ModalView> {
    const requestId = requestOf(value);
    const seen = await access.seeRequest(viewer, requestId);
    if ('sentence' in seen) return answerView(`⚠️ ${seen.sentence}`);
    const now = openQuestion(seen.request);
    const postId = value === requestId ? now?.postId : value;
    if (postId === undefined) return answerView(closed);
    const open = questionOf(seen.request, postId);
    const [answer, post] = await Promise.all([answers.find(postId), outbox.find(postId)]);
    const question = open?.question ?? (post && readQuestionPost(post).question);
    if (!question) return answerView(closed);
    const isAnswered = answer?.outcome === null || answer?.outcome === 'accepted';
    if (!open || isAnswered) return renderToRead(question, answeredBefore(answer));
    const found = await access.answerInForm(viewer, requestId);
    if ('sentence' in found) return renderToRead(question, `🔒 ${found.sentence}`);
    const { conversationId } = viewer;
    return renderForm({ postId, ...(conversationId && { conversationId }) }, question);
  }
}

const questionOf = (request: RunRequest, postId: string): OpenQuestion | undefined => {
  const open = openQuestion(request);
  return open?.postId === postId ? open : undefined;
};
