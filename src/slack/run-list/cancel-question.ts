/** Asks before canceling a run from a list. */
import type { ModalView } from '@slack/types';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { questionView } from '../posting/answer-privately.ts';
import { cancelNow, cancelWords } from '../runs/run-buttons.ts';
import { boldTitle } from '../runs/run-title.ts';
import { actions, plain, section } from '../text/blocks.ts';

export const renderCancelQuestion = ({ id, title }: RunRequest): ModalView => ({
  type: 'modal',
  callback_id: questionView,
  title: plain(cancelWords.question, 24),
  close: plain(cancelWords.no, 24),
  blocks: [section(boldTitle(title, 200)), section(cancelWords.meaning), actions([cancelNow(id)])],
});
