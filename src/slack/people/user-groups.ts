/** Reads members of user groups, and caches them for a few minutes or until Slack reports a change. */
import type { WebClient } from '@slack/web-api';
import { entryLimit } from 'base/entry-limit';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Settings } from '../../store/people/settings.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { GrantedScopes } from '../connection/installations/granted-scopes.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { ownerOf, setting } from './setting.ts';

export type UserGroup = { id: string; name: string };
export type UserGroups = ReturnType<typeof createUserGroups>;

/** Options of the caches. Entries expire, in case an event is lost. */
const cache = {
  ...entryLimit(1_000),
  ttl: 5 * 60_000,
  perf: { now: () => Date.now() },
  // Let a waiting call finish when the cache is cleared.
  ignoreFetchAbort: true,
};
const listKey = 'all';

/** Setting with the event ID of the last change of groups that Slack reported to any replica. */
const lastChange = setting('user-groups.last-change', z.string().catch(''));

export function createUserGroups(deps: {
  client: Pick<WebClient, 'usergroups'>;
  granted: Pick<GrantedScopes, 'has'>;
  teamId: string;
  settings: Settings;
}) {
  const { client, granted, teamId, settings } = deps;
  const members = new LRUCache<string, ReadonlySet<string>>({
    ...cache,
    fetchMethod: async (usergroup) =>
      // Include members of disabled groups, because otherwise rules would let nobody start runs.
      new Set((await client.usergroups.users.list({ usergroup, include_disabled: true })).users),
  });
  const lists = new LRUCache<string, UserGroup[]>({
    ...cache,
    fetchMethod: async () => {
      const { usergroups = [] } = await client.usergroups.list({});
      return usergroups.flatMap(({ id, handle, name }) =>
        id ? [{ id, name: handle ? `@${handle}` : (name ?? id) }] : [],
      );
    },
  });
  let knownChange = '';

  async function forgetChanged(): Promise<void> {
    const change = await lastChange.read(settings, ownerOf('workspace', { teamId }));
    if (change === knownChange) return;
    knownChange = change;
    members.clear();
    lists.clear();
  }

  return {
    /** Returns false if the app isn't allowed to see groups. */
    areVisible: () => granted.has('usergroups:read'),

    /**
     * Returns true if the person is in the group. Returns undefined while Slack doesn't answer, and for groups that
     * don't exist.
     */
    async isIn(groupId: string, userId: string): Promise<boolean | undefined> {
      await forgetChanged();
      try {
        return (await members.fetch(groupId))?.has(userId);
      } catch (error) {
        readSlackFailure(error);
        return undefined;
      }
    },

    /** Returns the IDs of a group's members. Undefined while Slack doesn't answer, and for groups that don't exist. */
    async membersOf(groupId: string): Promise<readonly string[] | undefined> {
      await forgetChanged();
      try {
        const found = await members.fetch(groupId);
        return found && [...found];
      } catch (error) {
        readSlackFailure(error);
        return undefined;
      }
    },

    /** Lists the groups. Returns an empty list while Slack doesn't answer. */
    async list(): Promise<UserGroup[]> {
      await forgetChanged();
      try {
        return (await lists.fetch(listKey)) ?? [];
      } catch (error) {
        readSlackFailure(error);
        return [];
      }
    },
  };
}

/**
 * Registers listeners for changes of groups. They store that something changed, so that every replica clears its cache.
 */
export function registerUserGroupEvents(
  app: Listeners,
  { settings }: { settings: Settings },
): void {
  const changed = (eventId: string, teamId = '') =>
    lastChange.write(settings, ownerOf('workspace', { teamId }), eventId);
  app.event('subteam_updated', ({ body, context }) => changed(body.event_id, context.teamId));
  app.event('subteam_members_changed', ({ body, context }) =>
    changed(body.event_id, context.teamId),
  );
  app.event('subteam_self_added', ({ body, context }) => changed(body.event_id, context.teamId));
  app.event('subteam_self_removed', ({ body, context }) => changed(body.event_id, context.teamId));
}
