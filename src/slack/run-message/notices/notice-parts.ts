import type { KnownBlock } from '@slack/types';
import type { Outbox } from '../../../store/outbox/outbox.ts';
import type { Answers } from '../../../store/requests/answers.ts';
import type { ReadNames } from '../../people/people.ts';
import type { SlackBudget } from '../../posting/slack-budget.ts';
import type { ReadAnswer } from '../../runs/reading/whole-answer.ts';
import { firstLine, shorten } from '../../text/escape-text.ts';
import type { Search } from '../message-metadata.ts';
import type { NotifiedParts } from './notified-people.ts';

export type NoticeParts = Search &
  NotifiedParts & {
    readAnswer: ReadAnswer;
    budget: SlackBudget;
    readNames: ReadNames;
    outbox: Pick<Outbox, 'find' | 'plan'>;
    answers: Pick<Answers, 'find'>;
  };
export type NoticeMessage = { text: string; blocks?: KnownBlock[] };

/** One way to say it. `withFile`: it has only the beginning of the answer, so the whole answer comes as a file. */
export type NoticeVersion = { message: NoticeMessage; withFile?: boolean };

const shortLimit = 1_000;

/** Its first line, if Slack accepts no more. */
export const withShort = (message: NoticeMessage): NoticeVersion[] => [
  { message },
  { message: { text: shorten(firstLine(message.text), shortLimit) } },
];

export const gone = { outcome: 'refused', reason: 'the run message is gone' } as const;
