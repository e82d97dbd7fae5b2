/** Renders the modal *Usage* with its choices, and reads them back. */
import type { ActionsBlock, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { type UsageQuestion, type UsageScope, usagePeriods } from '../runs/usage-question.ts';
import { modal, plain } from '../text/blocks.ts';
import { option } from '../text/form-inputs.ts';

export const usageActions = {
  days: 'usage:days',
  of: 'usage:of',
  person: 'usage:person',
  channel: 'usage:channel',
} as const;

const choicesBlock = 'usage:choices';

const scopeTexts = {
  me: 'My runs',
  everyone: "Everyone's runs",
  person: 'Runs by…',
  channel: 'Runs in…',
} as const satisfies Record<UsageScope['of'], string>;

/** Choices in the modal. A person or a channel may not be chosen yet. */
export type UsageChoice = Pick<UsageQuestion, 'days'> & {
  of: UsageScope['of'];
  userId?: string | undefined;
  channelId?: string | undefined;
};

export function renderUsageModal(choice: UsageChoice, blocks: readonly KnownBlock[]): ModalView {
  return modal({ title: 'Usage', blocks: [renderChoices(choice), ...blocks] });
}

function renderChoices({ of, days, userId, channelId }: UsageChoice): ActionsBlock {
  const scopes = Object.keys(scopeTexts) as UsageScope['of'][];
  const scopeOption = (each: UsageScope['of']) => option(scopeTexts[each], each);
  const daysOption = (each: number) => option(`Last ${each} days`, String(each));
  return {
    type: 'actions',
    block_id: choicesBlock,
    elements: [
      {
        type: 'static_select',
        action_id: usageActions.of,
        options: scopes.map(scopeOption),
        initial_option: scopeOption(of),
      },
      ...(of === 'person'
        ? [
            {
              type: 'users_select' as const,
              action_id: usageActions.person,
              placeholder: plain('Choose a person', 150),
              ...(userId && { initial_user: userId }),
            },
          ]
        : []),
      ...(of === 'channel'
        ? [
            {
              type: 'conversations_select' as const,
              action_id: usageActions.channel,
              placeholder: plain('Choose a channel', 150),
              filter: { include: ['public' as const, 'private' as const] },
              ...(channelId && { initial_conversation: channelId }),
            },
          ]
        : []),
      {
        type: 'static_select',
        action_id: usageActions.days,
        options: usagePeriods.map(daysOption),
        initial_option: daysOption(days),
      },
    ],
  };
}

const selected = z.object({ value: z.string() }).nullish();
const stateSchema = z.object({
  [usageActions.of]: z.object({ selected_option: selected }).optional(),
  [usageActions.days]: z.object({ selected_option: selected }).optional(),
  [usageActions.person]: z.object({ selected_user: z.string().nullish() }).optional(),
  [usageActions.channel]: z.object({ selected_conversation: z.string().nullish() }).optional(),
});
const ofSchema = z.enum(['me', 'everyone', 'person', 'channel']);

/** Reads the choices of an open modal. Unreadable ones have their default. */
export function readUsageChoice(values: Record<string, unknown> | undefined): UsageChoice {
  const state = stateSchema.safeParse(values?.[choicesBlock]).data ?? {};
  const days = Number(state[usageActions.days]?.selected_option?.value);
  return {
    of: ofSchema.safeParse(state[usageActions.of]?.selected_option?.value).data ?? 'me',
    days: usagePeriods.find((each) => each === days) ?? usagePeriods[0],
    userId: state[usageActions.person]?.selected_user ?? undefined,
    channelId: state[usageActions.channel]?.selected_conversation ?? undefined,
  };
}

/** Returns the question, or undefined while the person or the channel isn't chosen. */
export function questionOf(choice: UsageChoice): UsageQuestion | undefined {
  const { of, days, userId, channelId } = choice;
  switch (of) {
    case 'me':
    case 'everyone':
      return { scope: { of }, days };
    case 'person':
      return userId ? { scope: { of, userId }, days } : undefined;
    case 'channel':
      return channelId ? { scope: { of, channelId }, days } : undefined;
  }
}
