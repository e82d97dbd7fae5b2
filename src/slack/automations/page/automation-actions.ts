import { parseJson } from 'base/parse-json';
import { z } from 'zod';

/** IDs of the buttons and choices on the page of automations. */
export const automationActions = {
  open: 'automations:open',
  list: 'automations:list',
  which: 'automations:which',
  first: 'automations:first',
  next: 'automations:next',
  newest: 'automations:newest',
  older: 'automations:older',
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

/** Place at which the next page begins, which the button that turns the page carries. */
type NextPage = Pick<PagePosition, 'after' | 'before'>;

export const writeNextPage = (next: NextPage): string => JSON.stringify(next);

export const readNextPage = (value: string): NextPage =>
  pageSchema.pick({ after: true, before: true }).safeParse(parseJson(value)).data ?? {};
