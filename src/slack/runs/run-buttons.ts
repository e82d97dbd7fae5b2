/** The buttons about one run that several features show. A value is our request id: old messages work after any restart. */
import type { Button } from '@slack/types';
import { isTerminalState } from 'runs-client/contract';
import { isCancelRefused } from '../../store/request-cancel.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { liveSteps } from '../../store/request-steps.ts';
import { button } from '../text/blocks.ts';
import { needsChange } from '../text/failure.ts';

/** A link button still sends an action. */
export const openSessionAction = 'run:open-session';
export const detailsAction = 'run:details';
export const cancelAction = 'run:cancel';
export const againAction = 'run:again';
export const changeAction = 'run:again-with-changes';

/** For a run that is over, however it ended. One that never began is tried again in its own message instead. */
export function againButtons({
  id,
  step,
  problem,
}: Pick<RunRequest, 'id' | 'step' | 'problem'>): Button[] {
  const change = 'Run again with changes';
  switch (step) {
    case 'ended':
      return [
        button(againAction, 'Run again', { value: id }),
        button(changeAction, change, { value: id }),
      ];
    case 'not_started':
      return [
        button(changeAction, change, {
          value: id,
          ...(needsChange(problem?.code) && { style: 'primary' }),
        }),
      ];
    default:
      return [];
  }
}

export const savePresetAction = 'run:save-preset';

export const savePresetButton = (requestId: string): Button =>
  button(savePresetAction, 'Save as preset', { value: requestId });

export const newRunAction = 'run:new';

export const newRunButton = (): Button => button(newRunAction, 'New run', { style: 'primary' });

export const detailsButton = (requestId: string): Button =>
  button(detailsAction, 'Details', { value: requestId });

/** Whether *Cancel* is offered. A request without a run can be canceled too. */
export const mayBeCancelled = ({
  run,
  step,
  cancelAskedAt,
  cancelOutcome,
}: Pick<RunRequest, 'run' | 'step' | 'cancelAskedAt' | 'cancelOutcome'>): boolean =>
  liveSteps.includes(step) &&
  (cancelAskedAt === null || isCancelRefused(cancelOutcome)) &&
  !isTerminalState(run?.state ?? '') &&
  run?.is_run_type_cancellable !== false;

export const cancelWords = {
  question: 'Cancel this run?',
  meaning: 'The agent stops where it is. What it has done so far stays.',
  yes: 'Cancel the run',
  no: 'Let it go on',
} as const;

export const cancelButton = (requestId: string): Button =>
  button(cancelAction, 'Cancel', {
    value: requestId,
    style: 'danger',
    confirm: {
      title: { type: 'plain_text', text: cancelWords.question },
      text: { type: 'plain_text', text: cancelWords.meaning },
      confirm: { type: 'plain_text', text: cancelWords.yes },
      deny: { type: 'plain_text', text: cancelWords.no },
      style: 'danger',
    },
  });

/** Where the question has been asked already. */
export const cancelNow = (requestId: string): Button =>
  button(cancelAction, cancelWords.yes, { value: requestId, style: 'danger' });
