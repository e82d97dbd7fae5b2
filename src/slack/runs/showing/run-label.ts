import { readableLine } from 'base/readable-text';
import { shownText } from 'base/secrets/mask-secrets';
import { isKnownState, type KnownRunState, type Run } from 'runs-client/contract';
import { canceledBeforeStart } from '../../../requests/cancel.ts';
import { budgetExceeded, isUnknown } from '../../../requests/run-progress.ts';
import { isRequestStep } from '../../../requests/steps.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { escapeText, firstLine, shorten } from '../../text/escape-text.ts';

export const titleLimit = 150;

/** Returns a title from the first line of a text. Masks it, because everyone sees the title. */
export const titleFrom = (text: string): string => shorten(shownText(firstLine(text)), titleLimit);

/** Returns a title on one line, without asterisks, which would end bold text. */
export const titleLine = (title: string): string =>
  readableLine(title.replaceAll('*', ' ')) || 'Untitled run';

export const boldTitle = (title: string, limit = 150): string =>
  `*${escapeText(titleLine(title), limit)}*`;

/** Returns a title for notifications, which show no markup. */
export const plainTitle = (title: string, limit = 150): string =>
  escapeText(titleLine(title), limit);

/** State in words, and an emoji that doesn't rely on color. */
type StateLabel = { sign: string; word: string };

const labels: Record<KnownRunState, StateLabel> = {
  QUEUED: { sign: '⏳', word: 'Queued' },
  PENDING: { sign: '⏳', word: 'Starting' },
  CLAIMED: { sign: '⏳', word: 'Starting' },
  INPROGRESS: { sign: '▶️', word: 'In progress' },
  BLOCKED: { sign: '✋', word: 'Needs input' },
  SUCCEEDED: { sign: '✅', word: 'Succeeded' },
  FAILED: { sign: '❌', word: 'Failed' },
  ERROR: { sign: '❌', word: 'Failed' },
  CANCELLED: { sign: '🚫', word: 'Canceled' },
};

/** Label of a run that ended because it couldn't spend more. Its error code says so. */
const stoppedAtCap: StateLabel = { sign: '⏹️', word: 'Stopped at a cap' };
const notStarted: StateLabel = { sign: '⚠️', word: 'Not started' };

/** Returns the label of a state. An unknown state is shown by its own name, such as "Dreaming" for `DREAMING`. */
export function stateLabel(state: string): StateLabel {
  return isKnownState(state) ? labels[state] : { sign: '❔', word: titleCase(state) };
}

const titleCase = (state: string): string =>
  `${state.charAt(0).toUpperCase()}${state.slice(1).toLowerCase()}`.replaceAll('_', ' ');

/** Returns true if the run ended because a spending cap was used up. */
export const isStoppedAtCap = (run: Run | null): boolean =>
  run?.state === 'FAILED' && run.status_message?.error_code === budgetExceeded;

/** Returns the state of a request, with or without a run. */
export function requestLabel(request: Pick<RunRequest, 'problem' | 'step' | 'run'>): StateLabel {
  if (isUnknown(request.problem)) return { sign: '❔', word: 'Unknown' };
  if (request.problem?.code === canceledBeforeStart) return labels.CANCELLED;
  // Show the run's own state for an unknown step, which a newer version of the app may have stored.
  if (!isRequestStep(request.step)) return stateLabel(request.run?.state ?? 'Starting');
  switch (request.step) {
    case 'accepted':
    case 'posted':
    case 'following':
      // Show "Starting", as in the first run message, until the service reports a state.
      return stateLabel(request.run?.state ?? 'PENDING');
    case 'ended':
      // Show "Not started" if there's no run, because its run message couldn't be posted.
      if (isStoppedAtCap(request.run)) return stoppedAtCap;
      return request.run ? stateLabel(request.run.state) : notStarted;
    case 'not_started':
      return notStarted;
  }
}
