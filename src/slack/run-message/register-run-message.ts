import type { Outbox } from '../../store/outbox/outbox.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RequestWatchers } from '../../store/requests/request-watchers.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { askToCancel, type CancelParts } from '../runs/acting/cancel-run.ts';
import {
  type Clicked,
  type OpenDetails,
  onClick,
  type RedrawDetails,
  type Repeat,
} from '../runs/acting/click.ts';
import type { ReadRequestOutcome, RunAccess } from '../runs/reading/run-access.ts';
import {
  cancelAction,
  openPullRequestAction,
  openSessionAction,
  readMenuChoice,
} from '../runs/showing/buttons/run-buttons.ts';
import { actions, section } from '../text/blocks.ts';
import { newPointer, readNotice } from './notices/notice-content.ts';
import {
  type MenuVerb,
  menuVerbs,
  messageActions,
  renderNotifyAnswer,
} from './rendering/message-buttons.ts';
import { registerStrayMessages, type StrayParts } from './stray-messages.ts';
import { type TryAgainParts, tryAgain } from './try-again.ts';

type RunMessageParts = TryAgainParts &
  StrayParts & {
    requests: CancelParts['requests'] & Pick<Requests, 'unfollow' | 'followAgain' | 'lookAgain'>;
    watchers: Pick<RequestWatchers, 'set'>;
    outbox: Pick<Outbox, 'planAndShow' | 'find'>;
    access: RunAccess;
    openDetails: OpenDetails;
    redrawDetails: RedrawDetails;
    runAgain: Repeat;
    runWithChanges: Repeat;
  };

/** A click on a run, by someone who may do this with it. */
type RunClick = Clicked & { request: RunRequest };

type OnRun = (click: Clicked, requestId: string) => Promise<void>;

/**
 * The buttons and the menu of the run message. A click is acknowledged when what it asks for is stored; the follower does
 * it.
 */
export function registerRunMessage(app: Listeners, parts: RunMessageParts): void {
  const { requests, watchers, outbox, access, wake } = parts;
  registerStrayMessages(app, parts);
  // Slack wants the click on a link button acknowledged too.
  app.action(openSessionAction, ({ ack }) => ack());
  app.action(openPullRequestAction, ({ ack }) => ack());
  app.action(messageActions.connect, ({ ack }) => ack());

  const again = through(access.tryAgain, async (click) => {
    const text = await tryAgain(parts, click.request, click.viewer.userId);
    if (text) await answerPrivately(click, { text });
  });

  const cancel = through(access.command, async (click) => {
    const text = await askToCancel(parts, click.request, click.viewer.userId);
    // A modal hides the message.
    const isInView = click.body.view !== undefined;
    if (text || isInView) await answerPrivately(click, { text: text ?? canceling });
    if (!text) await parts.redrawDetails(click, click.request.id);
  });

  const stopFollowing = through(access.command, async ({ request }) => {
    if (await requests.unfollow(request.id, Date.now())) wake();
  });

  const followAgain = through(access.seeRequest, async ({ request: { id, step } }) => {
    const follow = step === 'ended' ? requests.lookAgain : requests.followAgain;
    if (await follow(id, Date.now())) wake();
  });

  const showInChannel = through(access.seeRequest, async (click) => {
    const { userId } = click.viewer;
    const pointer = newPointer(click.request, userId);
    if (await outbox.planAndShow(pointer)) return wake();
    const earlier = await outbox.find(pointer.id);
    const isOwn = earlier && readNotice(earlier).names.includes(userId);
    await answerPrivately(click, { text: alreadyShown(isOwn ? 'You' : 'Someone') });
  });

  const notify = through(access.seeRequest, (click) => setNotify(click, click.request.id, true));
  // Also for people who no longer see the run.
  const doNotNotify: OnRun = (click, requestId) => setNotify(click, requestId, false);

  const menu: Record<MenuVerb, OnRun> = {
    details: (click, requestId) => parts.openDetails(click, { requestId }),
    again: (click, requestId) => parts.runAgain(click, { requestId }),
    change: (click, requestId) => parts.runWithChanges(click, { requestId }),
    notify,
    stop: stopFollowing,
    show: showInChannel,
  };
  onClick(app, messageActions.menu, async (click) => {
    const pick = readMenuChoice(menuVerbs, click.value);
    if (pick && 'requestId' in pick.ref) await menu[pick.verb](click, pick.ref.requestId);
  });

  on(messageActions.tryAgain, again);
  on(cancelAction, cancel);
  on(messageActions.notify, notify);
  on(messageActions.doNotNotify, doNotNotify);
  on(messageActions.followAgain, followAgain);

  function on(actionId: string, act: OnRun): void {
    onClick(app, actionId, (click) => act(click, click.value));
  }

  function through(
    enter: (viewer: RunViewer, requestId: string) => Promise<ReadRequestOutcome>,
    act: (click: RunClick) => Promise<void>,
  ): OnRun {
    return async (click, requestId) => {
      const found = await enter(click.viewer, requestId);
      if ('sentence' in found) await answerPrivately(click, { text: found.sentence });
      else await act({ ...click, request: found.request });
    };
  }

  async function setNotify(click: Clicked, requestId: string, wants: boolean): Promise<void> {
    await watchers.set(requestId, click.viewer.userId, wants);
    const { text, back } = renderNotifyAnswer(requestId, wants);
    await answerPrivately(click, { text, blocks: [section(text), actions([back])] });
  }
}

const alreadyShown = (who: 'You' | 'Someone') =>
  `${who} already asked to show this run in the channel.`;

const canceling = 'Canceling this run. Its message shows when it has ended.';
