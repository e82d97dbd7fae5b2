import type { ActionsBlock, Button } from '@slack/types';
import {
  connectionRemoved,
  isOwnKey,
  keyDisconnected,
  operatorConnection,
} from '../../requests/connection.ts';
import { pullRequestsOf } from '../../requests/pull-request.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { isAboutSpending, openQuestion } from '../runs/run-question.ts';
import {
  createPullRequestAction,
  mergeButton,
  publishButton,
} from '../runs/showing/buttons/publish-buttons.ts';
import {
  againAction,
  answerAction,
  answerButton,
  canBeCanceled,
  cancelButton,
  changeButton,
  detailsAction,
  detailsButton,
  maxMenuOptions,
  openPullRequestAction,
  openSessionAction,
  type RunVerb,
  renderMenu,
  repairAction,
  runAgainButton,
  viewChangesButton,
} from '../runs/showing/buttons/run-buttons.ts';
import { canBeRated } from '../runs/showing/buttons/run-feedback.ts';
import { patchOf } from '../runs/showing/run-artifacts.ts';
import { button } from '../text/blocks.ts';
import { safeUrl } from '../text/escape-text.ts';
import { needsChange } from '../text/failure.ts';
import { hasFailed } from './run-notes.ts';

export const messageActions = {
  connect: 'run-message:connect',
  tryAgain: 'run-message:try-again',
  notify: 'run-message:notify',
  doNotNotify: 'run-message:do-not-notify',
  followAgain: 'run-message:follow-again',
  menu: 'run-message:menu',
  goToQuestion: 'run-message:go-to-question',
} as const;

/** Options of the menu that the app handles. Slack itself opens the link of *Open session*. */
export const menuVerbs = [
  'details',
  'again',
  'change',
  'recur',
  'notify',
  'stop',
  'show',
  'good',
  'bad',
] as const satisfies RunVerb[];
export type MenuVerb = (typeof menuVerbs)[number];

const maxButtons = 3;
const controlsBlock = ' run-message';

/** Reads the request of a run message from the ID of its block with buttons. Returns undefined for another block. */
export const requestOfControls = (blockId: string): string | undefined =>
  blockId.endsWith(controlsBlock) ? blockId.slice(0, -controlsBlock.length) : undefined;

export type Offers = {
  /** False if *Share in channel* isn't offered, because the run was already shown there. */
  canBePointed?: boolean;
  /** Link to the card of the open question. */
  questionLink?: string | undefined;
};

/** Renders at most three buttons that fit the request's state, and a menu with the other actions. */
export function renderControls(
  request: RunRequest,
  { canBePointed = true, questionLink }: Offers = {},
): ActionsBlock {
  const { id, run } = request;
  const shown = shownButtons(request, questionLink);
  const url = safeUrl(run?.session_link);
  const ref = { requestId: id };
  const menu = renderMenu(messageActions.menu, { ref, url }, menuOf(request, shown, canBePointed));
  return {
    type: 'actions',
    // Use the request's ID, which begins with the workspace ID, so the block needs no other mark.
    block_id: `${id}${controlsBlock}`,
    elements: [...shown, ...(menu ? [menu] : [])],
  };
}

/**
 * Returns the buttons to show. Includes *Details* unless there are three buttons for results. Then *Details* is in the
 * menu.
 */
function shownButtons(request: RunRequest, questionLink?: string): Button[] {
  const main = mainButtons(request).map((each) => linkedAnswer(each, questionLink));
  const hasResults = resultButtons(request).length > 0;
  return [
    ...main.slice(0, hasResults ? maxButtons : maxButtons - 1),
    detailsButton(request.id),
  ].slice(0, maxButtons);
}

/** Replaces *Answer* with a link to the question's card, which has the choices. */
function linkedAnswer(each: Button, questionLink: string | undefined): Button {
  const url = safeUrl(questionLink);
  return url && each.action_id === answerAction
    ? button(messageActions.goToQuestion, 'Go to question', { url, ...primary })
    : each;
}

/** Action IDs of buttons for the next step. The first such button is primary, unless another button is. */
const nextSteps: readonly string[] = [createPullRequestAction, openPullRequestAction];

function markNextStep(buttons: Button[], request: RunRequest): Button[] {
  if (buttons.some(({ style }) => style === 'primary')) return buttons;
  const steps = hasFailed(request) ? [againAction, ...nextSteps] : nextSteps;
  const next = buttons.find(({ action_id: id }) => steps.includes(id ?? ''));
  return buttons.map((each) => (each === next ? { ...each, ...primary } : each));
}

function resultButtons(request: RunRequest): Button[] {
  const { id, step, run } = request;
  if (step !== 'ended') return [];
  const url = pullRequestsOf(run)
    .map((each) => safeUrl(each.url))
    .find(Boolean);
  return [
    ...mergeButton(id, request),
    ...(url ? [button(openPullRequestAction, 'View pull request', { url })] : []),
    ...publishButton(id, request),
    ...(patchOf(run) ? [viewChangesButton({ requestId: id })] : []),
  ];
}

/**
 * Returns the most useful buttons first. If *Cancel* has no room, it's only in *Details*, because a menu can't ask to
 * confirm.
 */
export const mainButtons = (request: RunRequest): Button[] =>
  markNextStep(buttonsByStep(request), request);

function buttonsByStep(request: RunRequest): Button[] {
  const { id, step, problem, unfollowedAt, missingSince } = request;
  const follow = (style: object) =>
    button(messageActions.followAgain, 'Resume updates', { value: id, ...style });
  switch (step) {
    case 'not_started': {
      const isRejected = needsChange(problem?.code);
      const style = isRejected ? {} : primary;
      const repair = repairButton(request);
      return [
        ...repair,
        button(messageActions.tryAgain, 'Try again', {
          value: id,
          ...(repair.length > 0 ? {} : style),
        }),
        changeButton(id, isRejected ? primary : {}),
      ];
    }
    case 'ended':
      return [
        ...connectButton(request),
        ...repairButton(request),
        ...resultButtons(request),
        ...(missingSince === null || problem?.code === connectionRemoved ? [] : [follow({})]),
        ...(hasFailed(request) && resultButtons(request).length === 0 ? [runAgainButton(id)] : []),
        ...(missingSince === null ? openButton(request) : []),
        ...(hasFailed(request) || resultButtons(request).length > 0 ? [] : [runAgainButton(id)]),
      ];
    default: {
      const question = openQuestion(request)?.question;
      const cancel = canBeCanceled(request) ? [cancelButton(id)] : [];
      // At a cap, *Cancel* has to be visible, because the run's creator often can't answer.
      const isAtCap = question !== undefined && isAboutSpending(question);
      return [
        ...connectButton(request),
        ...repairButton(request),
        ...(unfollowedAt === null ? [] : [follow(primary)]),
        ...(question ? [answerButton(id)] : []),
        ...(isAtCap ? [...cancel, ...openButton(request)] : [...openButton(request), ...cancel]),
      ];
    }
  }
}

const primary = { style: 'primary' } as const;

function connectButton({ run }: RunRequest): Button[] {
  const url = safeUrl(run?.status_message?.auth_url);
  return url ? [button(messageActions.connect, 'Connect', { url, ...primary })] : [];
}

/** Renders a button for a new key. Shown if the runs service rejected the key, or the person disconnected their key. */
function repairButton({ id, problem, connectionId }: RunRequest): Button[] {
  const isOwn = isOwnKey(connectionId);
  const isRejected = problem?.code === 'unauthorized' && connectionId !== operatorConnection;
  if (!isRejected && problem?.code !== keyDisconnected) return [];
  return [button(repairAction, isOwn ? 'Connect key' : 'Replace key', { value: id, ...primary })];
}

function openButton({ run }: RunRequest): Button[] {
  const url = safeUrl(run?.session_link);
  return url ? [button(openSessionAction, 'Open session', { url })] : [];
}

function menuOf(request: RunRequest, shown: readonly Button[], canBePointed: boolean): RunVerb[] {
  const { step, run, unfollowedAt } = request;
  const isShown = (actionId: string) => shown.some(({ action_id: id }) => id === actionId);
  const hasSession = openButton(request).length > 0;
  const hasEnded = step === 'ended';
  const isLive = !hasEnded && step !== 'not_started';
  const verbs: RunVerb[] = [
    ...(hasSession && !isShown(openSessionAction) ? (['open'] as const) : []),
    ...(isShown(detailsAction) ? [] : (['details'] as const)),
    ...(hasEnded && !isShown(againAction) ? (['again'] as const) : []),
    ...(hasEnded ? (['change', 'recur'] as const) : []),
    ...(isLive ? (['notify'] as const) : []),
    // Offer *Stop updates* once the state is known. Before that, the message would be updated just to add it.
    ...(step === 'following' && run && unfollowedAt === null ? (['stop'] as const) : []),
    ...(canBePointed && isInChannelThread(request) ? (['show'] as const) : []),
    ...(canBeRated(request) ? (['good', 'bad'] as const) : []),
  ];
  return fitMenu(verbs);
}

/** Options to leave out if there are too many, in this order. *Details* has all but the ratings. */
const leftOut: readonly (readonly RunVerb[])[] = [
  [],
  ['open'],
  ['open', 'recur'],
  ['open', 'good', 'bad'],
  ['open', 'recur', 'good', 'bad'],
];

/** Returns the options that fit. */
function fitMenu(verbs: readonly RunVerb[]): RunVerb[] {
  const choices = leftOut.map((left) => verbs.filter((verb) => !left.includes(verb)));
  return choices.find(({ length }) => length <= maxMenuOptions) ?? [];
}

/**
 * Returns true if the run is in a channel's thread. Returns false in direct messages, because Slack shows their threads
 * anyway.
 */
const isInChannelThread = ({ channelId, origin }: RunRequest): boolean =>
  origin?.threadTs !== undefined && !channelId.startsWith('D');

/** Renders the private answer to *Notify me*, with a button that undoes it. */
export function renderNotifyAnswer(requestId: string, wants: boolean) {
  return wants
    ? {
        text: "🔔 You'll get a notification when the run ends.",
        back: button(messageActions.doNotNotify, "Don't notify me", { value: requestId }),
      }
    : {
        text: "🔕 You won't get a notification when the run ends.",
        back: button(messageActions.notify, 'Notify me', { value: requestId }),
      };
}
