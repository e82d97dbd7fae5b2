import type { Conversations } from '../../store/people/conversations.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { Afterwards } from '../connection/running-work.ts';
import { conversationMadePrivate, privateConversationIn } from './private-conversation.ts';

/** Registers listeners for events about who is in which conversation, so that people who leave stop seeing its runs. */
export function registerConversationEvents(
  app: Listeners,
  {
    conversations,
    afterwards,
    wakeReader,
  }: {
    conversations: Conversations;
    afterwards: Afterwards;
    /** Called when a conversation must be read again. */
    wakeReader(): void;
  },
): void {
  app.event('member_joined_channel', ({ event, context }) => move(context.teamId, event, true));
  app.event('member_left_channel', ({ event, context }) => move(context.teamId, event, false));

  // Read the conversation again after these events. `…_left` means that the app was removed.
  app.event('channel_deleted', ({ event, context }) => change(context.teamId, event.channel));
  app.event('channel_left', ({ event, context }) => change(context.teamId, event.channel));
  app.event('channel_rename', ({ event, context }) => change(context.teamId, event.channel.id));
  app.event('group_deleted', ({ event, context }) => change(context.teamId, event.channel));
  app.event('group_left', ({ event, context }) => change(context.teamId, event.channel));
  app.event('group_rename', ({ event, context }) => change(context.teamId, event.channel.id));

  app.takeEvents(['message'], async (body, teamId) => {
    const conversationId = conversationMadePrivate(body);
    if (conversationId) await becamePrivate(teamId, conversationId);
  });
  app.hear((body, teamId) => {
    const conversationId = privateConversationIn(body);
    if (conversationId) afterwards(() => becamePrivate(teamId, conversationId));
  });

  async function becamePrivate(teamId: string, conversationId: string): Promise<void> {
    if (await conversations.becamePrivate({ teamId, conversationId })) wakeReader();
  }

  async function change(teamId = '', conversationId: string): Promise<void> {
    if (await conversations.changed({ teamId, conversationId })) wakeReader();
  }

  async function move(
    teamId = '',
    { channel, user }: { channel: string; user: string },
    isIn: boolean,
  ): Promise<void> {
    const place = { teamId, conversationId: channel };
    if (await conversations.moved(place, user, isIn)) wakeReader();
  }
}
