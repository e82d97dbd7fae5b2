import { z } from 'zod';
import { conversationFilter } from './composition-objects.ts';
import { severalSelectable } from './element-fields.ts';
import { listOf, textField } from './fields.ts';
import { menu } from './selects.ts';

const slackId = textField({ min: 1, max: 255 });
const slackIds = listOf(slackId, { max: 100 });
const responding = { response_url_enabled: z.boolean().optional() };
const conversations = {
  default_to_current_conversation: z.boolean().optional(),
  filter: conversationFilter.optional(),
};

export const usersSelect = z.strictObject({
  type: z.literal('users_select'),
  ...menu,
  initial_user: slackId.optional(),
});

export const multiUsersSelect = z.strictObject({
  type: z.literal('multi_users_select'),
  ...menu,
  ...severalSelectable,
  initial_users: slackIds.optional(),
});

export const conversationsSelect = z.strictObject({
  type: z.literal('conversations_select'),
  ...menu,
  ...responding,
  ...conversations,
  initial_conversation: slackId.optional(),
});

export const multiConversationsSelect = z.strictObject({
  type: z.literal('multi_conversations_select'),
  ...menu,
  ...severalSelectable,
  ...conversations,
  initial_conversations: slackIds.optional(),
});

export const channelsSelect = z.strictObject({
  type: z.literal('channels_select'),
  ...menu,
  ...responding,
  initial_channel: slackId.optional(),
});

export const multiChannelsSelect = z.strictObject({
  type: z.literal('multi_channels_select'),
  ...menu,
  ...severalSelectable,
  initial_channels: slackIds.optional(),
});
