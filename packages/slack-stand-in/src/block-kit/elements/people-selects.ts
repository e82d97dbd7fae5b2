import { z } from 'zod';
import { conversationFilter } from '../composition-objects.ts';
import { listOf, part, textField } from '../fields.ts';
import { severalSelectable } from './element-fields.ts';
import { menu } from './selects.ts';

const slackId = textField({ min_length: 1, max_length: 255 });
const slackIds = listOf(slackId, { max_items: 100 }).optional();

const responding = { response_url_enabled: z.boolean().optional() };

const conversations = {
  default_to_current_conversation: z.boolean().optional(),
  filter: conversationFilter.optional(),
};

const several = { ...menu, ...severalSelectable };

export const usersSelect = part('users_select', { ...menu, initial_user: slackId.optional() });

export const multiUsersSelect = part('multi_users_select', { ...several, initial_users: slackIds });

export const conversationsSelect = part('conversations_select', {
  ...menu,
  ...responding,
  ...conversations,
  initial_conversation: slackId.optional(),
});

export const multiConversationsSelect = part('multi_conversations_select', {
  ...several,
  ...conversations,
  initial_conversations: slackIds,
});

export const channelsSelect = part('channels_select', {
  ...menu,
  ...responding,
  initial_channel: slackId.optional(),
});

export const multiChannelsSelect = part('multi_channels_select', {
  ...several,
  initial_channels: slackIds,
});
