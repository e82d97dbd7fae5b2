import type { Changes } from '../lib/changes.ts';
import { newId, newSecret } from '../lib/ids.ts';
import { isObject, type JsonObject, objectsIn, textIn } from '../lib/json.ts';
import { valuesOf } from '../view-values.ts';
import { findInstallation } from './directory.ts';
import { withIds } from './view-elements.ts';
import type { Channel, View, World } from './world.ts';

export type ViewError =
  | 'duplicate_external_id'
  | 'hash_conflict'
  | 'not_found'
  | 'push_limit_reached';

type Owner = { userId: string; teamId: string; currentChannelId?: string | undefined };

const highestStack = 3;

/** Stores people's open modals and Home tabs. Modals aren't saved across starts. */
export class Views {
  readonly #world: World;
  readonly #changes: Changes;
  readonly #stacks = new Map<string, View[]>();

  constructor({ world, changes }: { world: World; changes: Changes }) {
    this.#world = world;
    this.#changes = changes;
  }

  /** Returns a person's modals, the top one last. */
  stack(userId: string): readonly View[] {
    return this.#stacks.get(userId) ?? [];
  }

  /** Opens a modal, which replaces the whole stack. */
  open(owner: Owner, content: JsonObject): View | ViewError {
    if (this.#isTaken(owner.teamId, textIn(content, 'external_id'))) return 'duplicate_external_id';
    const view = this.#newView(owner, content, null);
    this.#put(owner.userId, [view]);
    return view;
  }

  push(owner: Owner, content: JsonObject): View | ViewError {
    const stack = this.stack(owner.userId);
    const top = stack.at(-1);
    if (!top) return 'not_found';
    if (stack.length >= highestStack) return 'push_limit_reached';
    if (this.#isTaken(owner.teamId, textIn(content, 'external_id'))) return 'duplicate_external_id';
    const view = this.#newView(owner, content, top);
    this.#put(owner.userId, [...stack, view]);
    return view;
  }

  /** Updates a view. Inputs with the same block and action ID keep the entered values. */
  update(view: View, content: JsonObject, hash?: string): View | ViewError {
    if (hash !== undefined && hash !== view.hash) return 'hash_conflict';
    const externalId = textIn(content, 'external_id') ?? view.externalId;
    if (externalId !== view.externalId && this.#isTaken(view.teamId, externalId)) {
      return 'duplicate_external_id';
    }
    view.content = { ...content, blocks: withIds(objectsIn(content['blocks'])) };
    view.values = valuesOf(shownBlocks(this.#world, view), view.values);
    view.hash = newHash();
    view.externalId = externalId;
    this.#emit(view);
    return view;
  }

  publish(owner: Owner, content: JsonObject, hash?: string): View | ViewError {
    const home = this.home(owner);
    if (home) return this.update(home, content, hash);
    const view = this.#newView(owner, content, null);
    this.#world.homes[homeKey(owner)] = view;
    this.#emit(view);
    return view;
  }

  home(owner: Owner): View | undefined {
    return this.#world.homes[homeKey(owner)];
  }

  /**
   * Finds a view by ID or external ID.
   * @param teamIds teams that the token works in
   */
  find(
    teamIds: readonly string[],
    by: { id?: string | undefined; externalId?: string | undefined },
  ) {
    const all = [...[...this.#stacks.values()].flat(), ...Object.values(this.#world.homes)];
    const isIt = (view: View) =>
      by.id !== undefined ? view.id === by.id : view.externalId === by.externalId;
    if (by.id === undefined && !by.externalId) return undefined;
    return all.find((view) => teamIds.includes(view.teamId) && isIt(view));
  }

  /** Closes the top modal or, with `all`, the whole stack. Returns the closed modals, the top one first. */
  close(userId: string, { all = false }: { all?: boolean } = {}): View[] {
    const stack = this.stack(userId);
    const rest = all ? [] : stack.slice(0, -1);
    const closed = stack.slice(rest.length).toReversed();
    this.#put(userId, rest);
    return closed;
  }

  /** Stores the value that a person entered. */
  setValue(view: View, blockId: string, actionId: string, value: JsonObject): void {
    view.values[blockId] = { ...view.values[blockId], [actionId]: value };
    this.#emit(view);
  }

  #newView(owner: Owner, content: JsonObject, below: View | null): View {
    const { userId, teamId, currentChannelId } = owner;
    const id = newId('V');
    const view: View = {
      id,
      teamId,
      userId,
      type: content['type'] === 'home' ? 'home' : 'modal',
      content: { ...content, blocks: withIds(objectsIn(content['blocks'])) },
      hash: newHash(),
      rootViewId: below?.rootViewId ?? id,
      previousViewId: below?.id ?? null,
      externalId: textIn(content, 'external_id') ?? '',
      ...(currentChannelId && { currentChannelId }),
      values: {},
    };
    return { ...view, values: valuesOf(shownBlocks(this.#world, view)) };
  }

  #isTaken(teamId: string, externalId: string | undefined): boolean {
    return Boolean(externalId) && this.find([teamId], { externalId }) !== undefined;
  }

  #put(userId: string, stack: View[]): void {
    this.#stacks.set(userId, stack);
    this.#changes.emit({ type: 'modals', userId });
  }

  #emit({ type, userId }: View): void {
    this.#changes.emit({ type: type === 'home' ? 'home' : 'modals', userId });
  }
}

/** Returns the key of a Home tab. People have one Home tab in each workspace. */
const homeKey = ({ teamId, userId }: Pick<Owner, 'teamId' | 'userId'>): string =>
  `${teamId} ${userId}`;

/**
 * Returns the team whose app this person uses. For people from another company, that's the team of a channel they're
 * in.
 */
export function servingTeam(world: World, person: { id: string; teamId: string }): string {
  if (findInstallation(world, person.teamId)) return person.teamId;
  const shared = world.channels.find(({ memberIds }) => memberIds.includes(person.id));
  return shared?.teamId ?? person.teamId;
}

/** Returns the blocks of a view. The current conversation is selected in pickers that default to it. */
export function shownBlocks(
  { channels }: World,
  { content, currentChannelId }: View,
): JsonObject[] {
  const current = channels.find(({ id }) => id === currentChannelId);
  return atConversation(content['blocks'], current);
}

function newHash(): string {
  return `${Math.floor(Date.now() / 1000)}.${newSecret().slice(0, 8)}`;
}

const initials: Record<string, (channelId: string) => JsonObject> = {
  conversations_select: (id) => ({ initial_conversation: id }),
  multi_conversations_select: (id) => ({ initial_conversations: [id] }),
};

/**
 * Sets pickers with `default_to_current_conversation` to the conversation in which the view was opened. The app's own
 * value and the picker's filter take precedence. Reference:
 * https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#conversations_select
 */
function atConversation(blocks: unknown, current: Channel | undefined): JsonObject[] {
  return current ? objectsIn(blocks).map((block) => fillObject(block, current)) : objectsIn(blocks);
}

function fillObject(object: JsonObject, current: Channel): JsonObject {
  const entries = Object.entries(object).map(([key, value]) => [key, fill(value, current)]);
  const initial = initials[String(object['type'])];
  const isWanted = object['default_to_current_conversation'] === true;
  const held = initial && isWanted && isOffered(object['filter'], current) && initial(current.id);
  // Spread the app's fields last, because a value that the app set takes precedence.
  return { ...held, ...Object.fromEntries(entries) };
}

function fill(value: unknown, current: Channel): unknown {
  if (Array.isArray(value)) return value.map((each) => fill(each, current));
  return isObject(value) ? fillObject(value, current) : value;
}

function isOffered(filter: unknown, { kind, isShared }: Channel): boolean {
  if (!isObject(filter)) return true;
  const { include } = filter;
  const isIncluded = !Array.isArray(include) || include.includes(kind);
  return isIncluded && !(isShared && filter['exclude_external_shared_channels'] === true);
}
