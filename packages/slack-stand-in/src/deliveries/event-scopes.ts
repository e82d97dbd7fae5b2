import { scopeFamily } from '../world/directory.ts';
import type { Channel } from '../world/world.ts';

/** Scopes that some events need, without events about messages and members of conversations. */
const scopes: Readonly<Record<string, string>> = {
  agent_session_stopped: 'chat:write',
  app_context_changed: 'assistant:write',
  app_mention: 'app_mentions:read',
  channel_deleted: 'channels:read',
  channel_left: 'channels:read',
  channel_rename: 'channels:read',
  group_deleted: 'groups:read',
  group_left: 'groups:read',
  group_rename: 'groups:read',
  link_shared: 'links:read',
  reaction_added: 'reactions:read',
  reaction_removed: 'reactions:read',
  subteam_members_changed: 'usergroups:read',
  subteam_self_added: 'usergroups:read',
  subteam_self_removed: 'usergroups:read',
  subteam_updated: 'usergroups:read',
};

/** The scope without which Slack doesn't send an event. Source: https://docs.slack.dev/reference/events */
export function scopeOfEvent(name: string, channel: Channel | undefined): string | undefined {
  if (name.startsWith('message.')) return `${name.slice('message.'.length)}:history`;
  const isOfMember = name.startsWith('member_') && channel !== undefined;
  return isOfMember ? `${scopeFamily(channel)}:read` : scopes[name];
}
