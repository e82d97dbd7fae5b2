import type { Audit } from '../../store/audit/audit.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { StartLimits } from '../../store/requests/accept-request.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RequestWatchers } from '../../store/requests/request-watchers.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunFeedback } from '../../store/requests/run-feedback.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { Rights } from '../people/rights.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { requestCancel } from '../runs/acting/cancel-run.ts';
import {
  type Clicked,
  type OpenDetails,
  onClick,
  type RedrawDetails,
  type Repeat,
} from '../runs/acting/click.ts';
import type { DescribeLimits } from '../runs/acting/run-limits.ts';
import type { ReadRequestOutcome, RunAccess } from '../runs/reading/run-access.ts';
import {
  cancelAction,
  openPullRequestAction,
  openSessionAction,
  readMenuChoice,
} from '../runs/showing/buttons/run-buttons.ts';
import { limitSentence } from '../runs/showing/limit-sentence.ts';
import { actions, section } from '../text/blocks.ts';
import { type MenuVerb, menuVerbs, messageActions, renderNotifyAnswer } from './message-buttons.ts';
import { newPointer, readNotice } from './notices/notice-content.ts';

type Deps = {
  requests: Requests;
  watchers: RequestWatchers;
  outbox: Outbox;
  feedback: Pick<RunFeedback, 'give'>;
  access: RunAccess;
  tryAgain: TryAgain;
  details: { openDetails: OpenDetails; redrawDetails: RedrawDetails };
  repeats: { runAgain: Repeat; runWithChanges: Repeat };
  /** Opens the form of an automation, filled from a finished run. */
  makeRecurring: OnRun;
  wake(): void;
};

/** A click on a run by someone who is allowed to act on it. */
type RunClick = Clicked & { request: RunRequest };

type OnRun = (click: Clicked, requestId: string) => Promise<void>;

/**
 * Registers the buttons and the menu of run messages. A click is acknowledged when it's stored, and the follower acts
 * later.
 */
export function registerRunMessage(
  app: Listeners,
  {
    requests,
    watchers,
    outbox,
    feedback,
    access,
    tryAgain,
    details,
    repeats,
    makeRecurring,
    wake,
  }: Deps,
): void {
  // Acknowledge clicks on link buttons, because Slack expects that.
  app.action(openSessionAction, ({ ack }) => ack());
  app.action(openPullRequestAction, ({ ack }) => ack());
  app.action(messageActions.connect, ({ ack }) => ack());
  app.action(messageActions.goToQuestion, ({ ack }) => ack());

  const again = through(access.tryAgain, async (click) => {
    const text = await tryAgain(click.request, click.viewer.userId);
    if (text) await answerPrivately(click, { text });
  });

  const cancel = through(access.command, async (click) => {
    const text = await requestCancel({ requests, wake }, click.request, click.viewer.userId);
    // Answer a click in a modal, because the modal hides the run message.
    const isInView = click.body.view !== undefined;
    if (text || isInView) await answerPrivately(click, { text: text ?? canceling });
    if (!text) await details.redrawDetails(click, click.request.id);
  });

  const stopFollowing = through(access.command, async ({ request }) => {
    if (await requests.unfollow(request.id, Date.now())) wake();
  });

  const followAgain = through(access.seeRequest, async ({ request: { id, step } }) => {
    const follow = step === 'ended' ? requests.pollAgain : requests.followAgain;
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
  // Don't check access, because people who no longer see the run can also turn notifications off.
  const doNotNotify: OnRun = (click, requestId) => setNotify(click, requestId, false);

  /** Stores a rating with Slack's time of the click. A late or repeated delivery then doesn't undo a newer rating. */
  const rate = (isGood: boolean): OnRun =>
    through(access.seeRequest, async (click) => {
      const at = Math.round(Number(click.action.action_ts) * 1_000) || Date.now();
      await feedback.give(click.request, { userId: click.viewer.userId, isGood, at });
      await answerPrivately(click, { text: isGood ? ratedGood : ratedBad });
    });

  const menu: Record<MenuVerb, OnRun> = {
    details: (click, requestId) => details.openDetails(click, { requestId }),
    again: (click, requestId) => repeats.runAgain(click, { requestId }),
    change: (click, requestId) => repeats.runWithChanges(click, { requestId }),
    recur: makeRecurring,
    notify,
    stop: stopFollowing,
    show: showInChannel,
    good: rate(true),
    bad: rate(false),
  };
  onClick(app, messageActions.menu, async (click) => {
    const choice = readMenuChoice(menuVerbs, click.value);
    if (choice && 'requestId' in choice.ref) await menu[choice.verb](click, choice.ref.requestId);
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
  `${who} already asked to share this run in the channel.`;

const ratedGood = '👍 You rated this result as good.';
const ratedBad = '👎 You rated this result as bad.';

const canceling = 'Canceling this run. Its message shows when it has ended.';

/** Tries a request again. Returns the reason if that isn't allowed. */
type TryAgain = (request: RunRequest, userId: string) => Promise<string | undefined>;

type TryAgainDeps = {
  requests: Pick<Requests, 'tryAgainWithin'>;
  rights: Pick<Rights, 'limitsOf'>;
  limits: StartLimits;
  describeLimits: DescribeLimits;
  audit: Pick<Audit, 'note'>;
  wake(): void;
};

/**
 * Creates the function that retries a request that wasn't started. The hourly limit doesn't apply, because the first
 * attempt already counted as a start.
 */
export const createRetry =
  ({ requests, rights, limits, describeLimits, audit, wake }: TryAgainDeps): TryAgain =>
  async (request, userId) => {
    const own = await rights.limitsOf(request);
    if ('denial' in own) return own.denial.sentence;
    const most = { maxActiveRuns: limits.maxActiveRuns, maxOwnActiveRuns: own.activeRuns?.most };
    const { teamId, channelId, authority, config } = request;
    const runLimits = await describeLimits(
      { teamId, channelId, personId: authority.actorId, environmentId: config.environment_id },
      own.limits,
    );
    const answer = await requests.tryAgainWithin(most, { ...request, limits: runLimits });
    if ('used' in answer) {
      const { origin, creatorId } = request;
      const by = origin?.workflow ? 'workflow' : creatorId === userId ? 'reader' : 'creator';
      const { activeRuns, startsPerHour } = own;
      return limitSentence(answer, { ...limits, activeRuns, startsPerHour, by, now: Date.now() });
    }
    if (answer.outcome === 'repeated') return undefined;
    const { id } = request;
    const entity = { type: 'run', id };
    await audit.note({ teamId, channelId, actorId: userId, action: 'run_tried_again', entity });
    wake();
    return undefined;
  };
