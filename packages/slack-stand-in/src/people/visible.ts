import {
  canSee,
  channelOf,
  directChannel,
  findInstallation,
  findMessage,
} from '../world/directory.ts';
import { servingTeam, type Views } from '../world/views.ts';
import type { Channel, Message, Person, SharedFile, View, World } from '../world/world.ts';
import type { Shown } from './element-acts.ts';
import type { Place } from './outcome.ts';

export type Visible = ReturnType<typeof createVisible>;

/** Creates functions that return only data which the person can see or change. They throw for all other data. */
export function createVisible({ world, views }: { world: World; views: Views }, person: Person) {
  const { realName } = person;

  function channel(channelId: string): Channel {
    const found = channelOf(world, channelId);
    if (canSee(found, person)) return found;
    throw new Error(`${realName} can't see channel ${channelId}`);
  }

  function message(channelId: string, ts: string): Message {
    channel(channelId);
    const found = findMessage(world, channelId, ts);
    if (found && (!found.visibleTo || found.visibleTo === person.id)) return found;
    throw new Error(`${realName} can't see message ${ts} in ${channelId}`);
  }

  return {
    channel,
    message,
    /** Returns a message that the person can react to. */
    reactable(channelId: string, ts: string): Message {
      if (channel(channelId).isArchived) throw new Error('is_archived');
      const found = message(channelId, ts);
      if (found.visibleTo) throw new Error('message_not_found');
      return found;
    },
    /** Returns a message that the person can change. Admins can change all messages. */
    ownMessage(channelId: string, ts: string): Message {
      const found = message(channelId, ts);
      const isAdmin = person.role === 'admin' || person.role === 'owner';
      if (isAdmin || found.userId === person.id || found.visibleTo) return found;
      throw new Error(`${realName} isn't allowed to change message ${ts}`);
    },
    /** Returns all messages of a conversation, including ephemeral ones for this person. */
    messages(channelId: string): Message[] {
      const log = world.messages[channel(channelId).id] ?? [];
      return log.filter(({ visibleTo }) => visibleTo === undefined || visibleTo === person.id);
    },
    ownFile(id: string): SharedFile {
      const file = world.files.find((each) => each.id === id && each.userId === person.id);
      if (!file) throw new Error(`${realName} has no file ${id}`);
      return file;
    },
    /** Returns the current message or view, which may have changed since the caller got it. */
    shown(place: Place): Shown {
      if (!('view' in place)) return { message: message(place.channelId, place.messageTs) };
      const { teamId, id } = place.view;
      const view = views.find([teamId], { id });
      if (view?.userId === person.id) return { view };
      throw new Error(`${realName} no longer sees view ${id}`);
    },
    home: (): View | undefined =>
      views.home({ userId: person.id, teamId: servingTeam(world, person) }),
    /** Returns the ID of the direct channel with the app. */
    directChannelId(): string {
      const installation = findInstallation(world, servingTeam(world, person));
      const found = installation && directChannel(world, person.id, installation.botUserId);
      if (!found) throw new Error(`${realName} has no direct channel with the app`);
      return found.id;
    },
  };
}
