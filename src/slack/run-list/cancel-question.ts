/** Asks before canceling a run from a list. */
import type { ModalView } from '@slack/types';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { questionView } from '../posting/answer-privately.ts';
import { cancelNow, cancelWords } from '../runs/showing/buttons/run-buttons.ts';
import { boldTitle } from '../runs/showing/run-label.ts';
import { actions, modal, section } from '../text/blocks.ts';

export const renderCancelQuestion = ({ id, title }: RunRequest): ModalView =>
  modal({
    callbackId: questionView,
    title: cancelWords.question,
    close: cancelWords.no,
    blocks: [
      section(boldTitle(title, 200)),
      section(cancelWords.meaning),
      actions([cancelNow(id)]),
    ],
  });
