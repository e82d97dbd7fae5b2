import type { KnownBlock } from '@slack/types';
import { parseJson } from 'base/parse-json';
import { z } from 'zod';
import { actions, button } from '../../text/blocks.ts';

/** IDs of the buttons and choices on the page of automations. */
export const automationActions = {
  open: 'automations:open',
  list: 'automations:list',
  which: 'automations:which',
  turn: 'automations:turn',
  turnBack: 'automations:turn-back',
  new: 'automations:new',
  edit: 'automations:edit',
  takeOver: 'automations:take-over',
  pause: 'automations:pause',
  resume: 'automations:resume',
  remove: 'automations:delete',
} as const;

/** Action ID of *Allowed bots*, which is for admins. */
export const allowedBotsAction = 'automations:bots';

/** Callback ID of the page, by which clicks in it are recognized. */
export const pageView = 'automations:page';

/** Automations that the page lists: all that the person can see, their own, or those of the conversation. */
export const whichSchema = z.enum(['all', 'mine', 'here']);
export type Which = z.infer<typeof whichSchema>;

/** Position on the page, which its view carries. */
export const pageSchema = z.object({
  /** Conversation in which the page was opened. Empty in the Home tab. */
  channelId: z.string(),
  which: whichSchema,
  /** Automation after which the list begins. */
  after: z.object({ channelId: z.string(), name: z.string() }).optional(),
  /** Automation whose details are shown instead of the list. */
  automationId: z.string().optional(),
  /** Entry before which the history begins. */
  before: z.object({ happenedAt: z.number(), id: z.string() }).optional(),
});
export type PagePosition = z.infer<typeof pageSchema>;

/** Place at which the next page begins. */
const nextPageSchema = pageSchema.pick({ after: true, before: true });
type NextPage = z.infer<typeof nextPageSchema>;

export const readNextPage = (value: string): NextPage =>
  nextPageSchema.safeParse(parseJson(value)).data ?? {};

/**
 * Renders the buttons that turn the pages of a list, with their labels.
 * @param next place at which the next page begins, if there is one
 */
export function turnButtons(
  [backLabel, nextLabel]: readonly [string, string],
  { isFirst, next }: { isFirst: boolean; next: NextPage | undefined },
): KnownBlock[] {
  const buttons = [
    ...(isFirst ? [] : [button(automationActions.turnBack, backLabel)]),
    ...(next ? [button(automationActions.turn, nextLabel, { value: JSON.stringify(next) })] : []),
  ];
  return buttons.length > 0 ? [actions(buttons)] : [];
}
