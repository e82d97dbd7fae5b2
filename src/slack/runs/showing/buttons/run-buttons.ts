/**
 * Renders the buttons and menus that several features show. Their value is our request ID, so old messages still work
 * after a restart.
 */
import type { Button, Overflow, PlainTextOption } from '@slack/types';
import { isTerminalState } from 'runs-client/contract';
import { isCancelRejected } from '../../../../requests/cancel.ts';
import { liveSteps } from '../../../../requests/steps.ts';
import type { RunRequest } from '../../../../store/requests/request-row.ts';
import { button, confirmation, dangerConfirmation, plain } from '../../../text/blocks.ts';
import { type RunRef, readRunRef, writeRunRef } from '../../run-ref.ts';

/** Action ID of *Open session*. Slack sends an action even for a link button. */
export const openSessionAction = 'run:open-session';
export const answerAction = 'question:open';
export const detailsAction = 'run:details';
export const cancelAction = 'run:cancel';
export const revokeLinkAction = 'run:revoke-link';
export const againAction = 'run:again';
export const changeAction = 'run:again-with-changes';

/** Renders *Answer*, which opens the run's current question. */
export const answerButton = (requestId: string): Button =>
  button(answerAction, 'Answer', { value: requestId, style: 'primary' });

export const runAgainButton = (requestId: string): Button =>
  button(againAction, 'Run again', { value: requestId });

export const changeButton = (requestId: string, style: Pick<Button, 'style'> = {}): Button =>
  button(changeAction, 'Run again with changes', { value: requestId, ...style });

/**
 * Action ID of the button that opens the form for a key. It's shown for a run that can't continue without another key.
 */
export const repairAction = 'connections:repair';

export const savePresetAction = 'run:save-preset';

export const savePresetButton = (requestId: string): Button =>
  button(savePresetAction, 'Save as preset', { value: requestId });

export const recurAction = 'run:make-recurring';

/** Renders *Make recurring*, which opens the form of an automation, filled from the run. */
export const recurButton = (requestId: string): Button =>
  button(recurAction, words.recur, { value: requestId });

export const newRunAction = 'run:new';

export const newRunButton = (label = 'New run'): Button =>
  button(newRunAction, label, { style: 'primary' });

export const detailsButton = (requestId: string): Button =>
  button(detailsAction, 'Details', { value: requestId });

/** Renders *Show full answer*, which opens *Details*. */
export const showAnswerButton = (requestId: string): Button =>
  button(detailsAction, 'Show full answer', { value: requestId });

export const viewChangesAction = 'changes:view';

export const viewChangesButton = (ref: RunRef): Button =>
  button(viewChangesAction, 'View changes', { value: writeRunRef(ref) });

export const viewPlanAction = 'plan:view';

export const viewPlanButton = (ref: RunRef): Button =>
  button(viewPlanAction, 'View plan', { value: writeRunRef(ref) });

export const openPullRequestAction = 'run:open-pull-request';

/** Returns true if *Cancel* is offered, for a run or for a request without one. */
export const canBeCanceled = ({
  run,
  step,
  cancelAskedAt,
  cancelOutcome,
}: Pick<RunRequest, 'run' | 'step' | 'cancelAskedAt' | 'cancelOutcome'>): boolean =>
  liveSteps.includes(step) &&
  (cancelAskedAt === null || isCancelRejected(cancelOutcome)) &&
  !isTerminalState(run?.state ?? '') &&
  run?.is_run_type_cancellable !== false;

export const revokeLinkButton = (requestId: string): Button =>
  button(revokeLinkAction, 'Revoke session link', {
    value: requestId,
    confirm: confirmation(
      'Revoke the session link?',
      'The current link stops working for everyone. The run message gets a new one.',
      'Revoke link',
      'Keep link',
    ),
  });

export const cancelWords = {
  question: 'Cancel this run?',
  meaning: 'The agent stops right away. Work done so far is kept.',
  yes: 'Cancel run',
  no: 'Keep running',
} as const;

export const cancelButton = (requestId: string): Button => {
  const { question, meaning, yes, no } = cancelWords;
  const confirm = dangerConfirmation(question, meaning, yes, no);
  return button(cancelAction, 'Cancel', { value: requestId, style: 'danger', confirm });
};

/** Renders a button that cancels at once, for a modal that asks to confirm. */
export const cancelNow = (requestId: string): Button =>
  button(cancelAction, cancelWords.yes, { value: requestId, style: 'danger' });

/** Labels of the options in a run's menu. */
const words = {
  open: 'Open session',
  details: 'Details',
  again: 'Run again',
  change: 'Run again with changes',
  recur: 'Make recurring',
  cancel: 'Cancel',
  notify: 'Notify me',
  stop: 'Stop updates',
  show: 'Share in channel',
  good: '👍 Good result',
  bad: '👎 Bad result',
} as const;

export type RunVerb = keyof typeof words;

/** Max options of a menu: https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element */
export const maxMenuOptions = 5;
const optionTextLimit = 75;
const optionValueLimit = 150;

/** Renders a run's menu. Undefined if it has no options. Slack itself opens `url` for the option `open`. */
export function renderMenu(
  actionId: string,
  { ref, url }: { ref: RunRef; url: string | undefined },
  verbs: readonly RunVerb[],
): Overflow | undefined {
  const options = verbs
    .map(
      (verb): PlainTextOption => ({
        text: plain(words[verb], optionTextLimit),
        value: `${verb}:${verb === 'open' ? '' : writeRunRef(ref)}`,
        ...(verb === 'open' && url && { url }),
      }),
    )
    // Leave out options with an ID that is too long for Slack.
    .filter(({ value = '' }) => [...value].length <= optionValueLimit)
    .slice(0, maxMenuOptions);
  return options.length > 0 ? { type: 'overflow', action_id: actionId, options } : undefined;
}

/** Reads a selected option. Undefined for `open`, which Slack handles, and for verbs of other menus. */
export function readMenuChoice<Verb extends RunVerb>(
  verbs: readonly Verb[],
  value: string | undefined,
): { verb: Verb; ref: RunRef } | undefined {
  const [written, ...rest] = value?.split(':') ?? [];
  const verb = verbs.find((each) => each === written);
  const ref = readRunRef(rest.join(':'));
  return verb && ref && { verb, ref };
}
