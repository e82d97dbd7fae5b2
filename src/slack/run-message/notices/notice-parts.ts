import type { KnownBlock } from '@slack/types';
import type { Outbox } from '../../../store/outbox/outbox.ts';
import type { Answers } from '../../../store/requests/answers.ts';
import type { ReadNames } from '../../people/people.ts';
import type { SlackBudget } from '../../posting/slack-budget.ts';
import type { ReadAnswer } from '../../runs/reading/whole-answer.ts';
import type { Search } from '../message-metadata.ts';
import type { NotifiedParts } from './notified-people.ts';

export type NoticeParts = Search &
  NotifiedParts & {
    readAnswer: ReadAnswer;
    budget: SlackBudget;
    readNames: ReadNames;
    outbox: Pick<Outbox, 'find'>;
    answers: Pick<Answers, 'find'>;
  };
export type NoticeMessage = { text: string; blocks?: KnownBlock[] };

export const gone = { outcome: 'refused', reason: 'the run message is gone' } as const;
