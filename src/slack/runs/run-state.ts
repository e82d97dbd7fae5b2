import { isKnownState, type KnownRunState } from 'runs-client/contract';
import { canceledBeforeStart } from '../../store/request-cancel.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { isRequestStep } from '../../store/request-steps.ts';

/** A state in words and a sign whose meaning does not hang on its colour. */
export type StateLabel = { sign: string; word: string };

const labels: Record<KnownRunState, StateLabel> = {
  QUEUED: { sign: '⏳', word: 'Queued' },
  PENDING: { sign: '⏳', word: 'Being prepared' },
  CLAIMED: { sign: '⏳', word: 'Being prepared' },
  INPROGRESS: { sign: '▶️', word: 'In progress' },
  BLOCKED: { sign: '✋', word: 'Waiting for input' },
  SUCCEEDED: { sign: '✅', word: 'Succeeded' },
  FAILED: { sign: '❌', word: 'Failed' },
  ERROR: { sign: '❌', word: 'Failed' },
  CANCELLED: { sign: '🚫', word: 'Cancelled' },
};

/** A state that nobody knows is shown by its own name. */
export function stateLabel(state: string): StateLabel {
  return isKnownState(state) ? labels[state] : { sign: '❔', word: state };
}

/** What a request's message says before there is a run, and after. */
export function requestLabel(request: Pick<RunRequest, 'problem' | 'step' | 'run'>): StateLabel {
  if (request.problem?.code === 'gone') return { sign: '❔', word: 'No longer known' };
  if (request.problem?.code === canceledBeforeStart) return labels.CANCELLED;
  // A newer version beside this one may have steps of its own.
  if (!isRequestStep(request.step)) return stateLabel(request.run?.state ?? 'Starting');
  switch (request.step) {
    case 'accepted':
    case 'posted':
      return { sign: '⏳', word: 'Starting' };
    case 'not_started':
      return { sign: '⚠️', word: 'Not started' };
    case 'following':
    case 'ended':
      return stateLabel(request.run?.state ?? 'QUEUED');
  }
}
