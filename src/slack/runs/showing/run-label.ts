import { readableLine } from 'base/readable-text';
import { shownText } from 'base/secrets/mask-secrets';
import { isKnownState, type KnownRunState } from 'runs-client/contract';
import { canceledBeforeStart } from '../../../requests/cancel.ts';
import { isUnknown } from '../../../requests/run-progress.ts';
import { isRequestStep } from '../../../requests/steps.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { escapeText, firstLine, shorten } from '../../text/escape-text.ts';

export const titleLimit = 150;

/** One line that everyone sees as the run's title. */
export const titleFrom = (text: string): string => shorten(shownText(firstLine(text)), titleLimit);

/** A run's title on one line, without asterisks, which would end bold text. */
export const titleLine = (title: string): string =>
  readableLine(title.replaceAll('*', ' ')) || 'Untitled run';

export const boldTitle = (title: string, limit = 150): string =>
  `*${escapeText(titleLine(title), limit)}*`;

/** A state in words, and an emoji whose meaning doesn't depend on its color. */
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

const notStarted: StateLabel = { sign: '⚠️', word: 'Not started' };

/** An unknown state is shown by its own name, such as "Dreaming" for `DREAMING`. */
export function stateLabel(state: string): StateLabel {
  return isKnownState(state) ? labels[state] : { sign: '❔', word: titleCase(state) };
}

const titleCase = (state: string): string =>
  `${state.charAt(0).toUpperCase()}${state.slice(1).toLowerCase()}`.replaceAll('_', ' ');

/** The state of a request, before and after it has a run. */
export function requestLabel(request: Pick<RunRequest, 'problem' | 'step' | 'run'>): StateLabel {
  if (isUnknown(request.problem)) return { sign: '❔', word: 'Unknown' };
  if (request.problem?.code === canceledBeforeStart) return labels.CANCELLED;
  // A newer version that runs at the same time may have more steps.
  if (!isRequestStep(request.step)) return stateLabel(request.run?.state ?? 'Starting');
  switch (request.step) {
    case 'accepted':
    case 'posted':
    case 'following':
      // What the run message was posted with remains until its service has said more.
      return stateLabel(request.run?.state ?? 'PENDING');
    case 'ended':
      // Without a run if its message couldn't be posted.
      return request.run ? stateLabel(request.run.state) : notStarted;
    case 'not_started':
      return notStarted;
  }
}
