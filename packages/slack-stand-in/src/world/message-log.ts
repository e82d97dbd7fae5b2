import type { AppEvents } from '../deliveries/app-events.ts';
import type { Answer } from '../deliveries/delivery.ts';
import type { Changes } from '../lib/changes.ts';
import type { Clock } from '../lib/ids.ts';
import {
  appMentionEvent,
  linkSharedEvent,
  messageChanged,
  messageDeleted,
  messageEvent,
  reactionEvent,
} from '../payloads/message-event.ts';
import { channelOf, findInstallation, findMessage } from './directory.ts';
import type { Message, World } from './world.ts';

/** Changes to the fields of a message. `undefined` removes a field. */
export type Edit = { [Key in keyof Message]?: Message[Key] | undefined };

type MessageLogDeps = {
  world: World;
  changes: Changes;
  clock: Clock;
  events: AppEvents;
  unfurlDomains: readonly string[];
};

export type NewMessage = Pick<Message, 'channelId' | 'userId' | 'text'> & Partial<Message>;

/** The app's answers to the events that were sent. */
export type Delivered = Promise<Answer[]>;

/** Posts, changes and deletes all messages, and sends their events. */
export class MessageLog {
  readonly #deps: MessageLogDeps;

  constructor(deps: MessageLogDeps) {
    this.#deps = deps;
  }

  post(draft: NewMessage): { message: Message; delivered: Delivered } {
    const { world, clock } = this.#deps;
    const message: Message = { ts: clock.nextTs(), reactions: [], isBroadcast: false, ...draft };
    world.messages[message.channelId] ??= [];
    world.messages[message.channelId]?.push(message);
    this.#changed(message);
    return { message, delivered: message.visibleTo ? delivered([]) : this.#announce(message) };
  }

  /** Edits a message with the fields in `edit`. */
  update(message: Message, edit: Edit): Delivered {
    const { world, clock, events } = this.#deps;
    const before = structuredClone(message);
    const editedTs = `${clock.nextTs().split('.')[0]}.000000`;
    Object.assign(message, edit, { editedTs });
    this.#changed(message);
    if (message.visibleTo) return delivered([]);
    const event = messageChanged(world, message, before, clock.nextTs());
    return delivered([events.message(message.channelId, event), this.#mention(message)]);
  }

  /** Adds link previews. The message isn't marked as edited. */
  preview(message: Message, attachments: NonNullable<Message['attachments']>): Delivered {
    const { world, clock, events } = this.#deps;
    const before = structuredClone(message);
    message.attachments = attachments;
    this.#changed(message);
    const event = messageChanged(world, message, before, clock.nextTs());
    return delivered([events.message(message.channelId, event)]);
  }

  remove(message: Message): Delivered {
    const { world, clock, events } = this.#deps;
    const log = world.messages[message.channelId] ?? [];
    const at = log.indexOf(message);
    // Do nothing if the message is already deleted, because another person may have been faster.
    if (at < 0) return delivered([]);
    log.splice(at, 1);
    this.#changed(message);
    if (message.visibleTo) return delivered([]);
    const event = messageDeleted(world, message, clock.nextTs());
    return delivered([events.message(message.channelId, event)]);
  }

  /** Adds a reaction. `isNew` is false if the person already has it. */
  react(message: Message, name: string, userId: string): { isNew: boolean; delivered: Delivered } {
    const existing = message.reactions.find((each) => each.name === name);
    if (existing?.userIds.includes(userId)) return { isNew: false, delivered: delivered([]) };
    if (existing) existing.userIds.push(userId);
    else message.reactions.push({ name, userIds: [userId] });
    return { isNew: true, delivered: this.#reacted('reaction_added', message, name, userId) };
  }

  unreact(
    message: Message,
    name: string,
    userId: string,
  ): { wasThere: boolean; delivered: Delivered } {
    const existing = message.reactions.find((each) => each.name === name);
    const at = existing?.userIds.indexOf(userId) ?? -1;
    if (!existing || at < 0) return { wasThere: false, delivered: delivered([]) };
    existing.userIds.splice(at, 1);
    message.reactions = message.reactions.filter(({ userIds }) => userIds.length > 0);
    return { wasThere: true, delivered: this.#reacted('reaction_removed', message, name, userId) };
  }

  #reacted(
    type: 'reaction_added' | 'reaction_removed',
    message: Message,
    name: string,
    userId: string,
  ) {
    const { clock, events } = this.#deps;
    this.#changed(message);
    const event = reactionEvent(type, { message, name, userId, ts: clock.nextTs() });
    return delivered([events.inChannel(message.channelId, type, event)]);
  }

  /** Sends the events of a new message. A mention causes two events: `app_mention` and `message`. */
  #announce(message: Message): Delivered {
    const { world, events, unfurlDomains } = this.#deps;
    const channel = channelOf(world, message.channelId);
    const bot = findInstallation(world, channel.teamId)?.botUserId;
    const links = linkSharedEvent(world, message, unfurlDomains, bot);
    return delivered([
      events.message(channel.id, messageEvent(world, message)),
      this.#mention(message),
      links && events.anywhere(channel.id, 'link_shared', links),
    ]);
  }

  /**
   * Sends `app_mention` if the message mentions the app, for a new message and after an edit (bolt-js#960). Direct
   * messages and "has joined" messages cause no `app_mention`.
   */
  #mention(message: Message): Promise<Answer> | undefined {
    const { world, events, clock } = this.#deps;
    const channel = channelOf(world, message.channelId);
    const bot = findInstallation(world, channel.teamId)?.botUserId;
    if (!bot || channel.kind === 'im' || message.subtype === 'channel_join') return undefined;
    if (!message.text.includes(`<@${bot}>`)) return undefined;
    const eventTs = message.editedTs ? clock.nextTs() : message.ts;
    const event = appMentionEvent(world, message, eventTs);
    return events.inChannel(channel.id, 'app_mention', event);
  }

  #changed({ channelId, ts, threadTs }: Message): void {
    const { world, changes } = this.#deps;
    changes.emit({ type: 'message', channelId, ts });
    if (threadTs && findMessage(world, channelId, threadTs)) {
      changes.emit({ type: 'message', channelId, ts: threadTs });
    }
  }
}

async function delivered(sent: readonly (Promise<Answer> | undefined)[]): Delivered {
  return await Promise.all(sent.filter((each) => each !== undefined));
}
