import { type PullRequestAction, pullRequestActionSchema } from 'runs-client/publication';
import { isRepeat, type PublishWanted } from '../../requests/publish.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { showModal } from '../posting/modals.ts';
import { onClick, onOpeningClick, type RedrawDetails, viewerOf } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import {
  canBePublished,
  createPullRequestAction,
  doing,
  notOffered,
  pullRequestActionIds,
  pullRequestActions,
} from '../runs/showing/buttons/publish-buttons.ts';
import { plainWords } from '../text/typed-text.ts';
import { pullRequestView, readForm, readSubject, renderForm } from './pull-request-form.ts';

/**
 * Registers *Create pull request* and the buttons for an existing one. A click is acknowledged when it's stored. The
 * follower sends the request to the runs service, and the run message shows the progress.
 */
export function registerPullRequest(
  app: Listeners,
  deps: { requests: Requests; access: RunAccess; redrawDetails: RedrawDetails; wake(): void },
): void {
  const { requests, access, redrawDetails, wake } = deps;
  onOpeningClick(app, createPullRequestAction, async (click) => {
    const found = await access.publishInForm(click.viewer, click.value);
    if ('sentence' in found) return answerPrivately(click, { text: found.sentence });
    if (!canBePublished(found.request))
      return answerPrivately(click, { text: notOffered('publish') });
    const { conversationId } = click.viewer;
    const subject = { requestId: found.request.id, ...(conversationId && { conversationId }) };
    await showModal(click, renderForm(subject, found.request));
  });

  app.view(pullRequestView, async ({ ack, body, view, context }) => {
    const reject = (errors: Record<string, string>) => ack({ response_action: 'errors', errors });
    const { requestId, conversationId } = readSubject(view);
    const read = readForm(view.state);
    if ('errors' in read) return reject(read.errors);
    const viewer = { ...viewerOf(body, context.teamId), conversationId };
    const found = await access.publishInForm(viewer, requestId);
    if ('sentence' in found) return reject({ title: plainWords(found.sentence) });
    const wanted = { action: 'publish', request: read.request } as const;
    const problem = await ask(found.request, body.user.id, wanted);
    if (problem) return reject({ title: problem });
    // Close all modals, because *Details* below the form is outdated now.
    await ack({ response_action: 'clear' });
  });

  for (const wanted of pullRequestActionSchema.shape.action.options) on(wanted);

  function on(wanted: PullRequestAction): void {
    const enter = wanted === 'merge' ? access.merge : access.publish;
    onClick(app, pullRequestActionIds[wanted], async (click) => {
      const found = await enter(click.viewer, click.value);
      const problem =
        'sentence' in found
          ? found.sentence
          : await ask(found.request, click.viewer.userId, { action: wanted });
      await answerPrivately(click, { text: problem ?? `${doing[wanted]}. ${whereToLook}` });
      if (!problem) await redrawDetails(click, click.value);
    });
  }

  /**
   * Stores the request for the follower.
   * @returns the reason if nothing was stored
   */
  async function ask(
    request: RunRequest,
    userId: string,
    wanted: PublishWanted,
  ): Promise<string | undefined> {
    const now = Date.now();
    const isAllowed = isPossible(request, wanted);
    if (isAllowed && (await requests.askPublish(request.id, userId, wanted, now))) {
      wake();
      return undefined;
    }
    const stored = await requests.find(request.id);
    if (stored && isRepeat(stored, { userId, wanted, now })) return undefined;
    return isAllowed ? alreadyRequested : notOffered(wanted.action);
  }
}

const isPossible = (request: RunRequest, { action }: PublishWanted): boolean =>
  action === 'publish' ? canBePublished(request) : pullRequestActions(request).includes(action);

const whereToLook = 'The run message shows the result.';
const alreadyRequested = `Someone already requested this. ${whereToLook}`;
