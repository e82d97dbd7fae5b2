import type { KnownBlock } from '@slack/types';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { ReadNames } from '../people/people.ts';
import type { SlackBudget } from '../posting/slack-budget.ts';
import type { Search } from './message-metadata.ts';

export type NoticeParts = Search & {
  budget: SlackBudget;
  readNames: ReadNames;
  outbox: Pick<Outbox, 'find'>;
};
export type NoticeMessage = { text: string; blocks?: KnownBlock[] };
