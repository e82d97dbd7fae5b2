/** The buttons about one run that several features show. A value is our request id: old messages work after any restart. */
import type { Button } from '@slack/types';
import type { RunRequest } from '../store/request-row.ts';
import { button } from './blocks.ts';

export const detailsAction = 'run:details';
export const cancelAction = 'run:cancel';
export const againAction = 'run:again';
export const changeAction = 'run:again-with-changes';

/** For a run that is over, however it ended. */
export const againButtons = ({ id, step }: Pick<RunRequest, 'id' | 'step'>): Button[] =>
  step === 'ended' || step === 'not_started'
    ? [
        button(againAction, 'Run again', { value: id }),
        button(changeAction, 'Run again with changes', { value: id }),
      ]
    : [];

export const newRunAction = 'run:new';

export const newRunButton = (): Button => button(newRunAction, 'New run', { style: 'primary' });

export const detailsButton = (requestId: string): Button =>
  button(detailsAction, 'Details', { value: requestId });

export const cancelButton = (requestId: string): Button =>
  button(cancelAction, 'Cancel', {
    value: requestId,
    style: 'danger',
    confirm: {
      title: { type: 'plain_text', text: 'Cancel this run?' },
      text: {
        type: 'plain_text',
        text: 'The agent stops where it is. What it has done so far stays.',
      },
      confirm: { type: 'plain_text', text: 'Cancel the run' },
      deny: { type: 'plain_text', text: 'Let it go on' },
      style: 'danger',
    },
  });
