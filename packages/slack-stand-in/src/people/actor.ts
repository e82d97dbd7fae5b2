import type { Flexpane } from '../entities/flexpanes.ts';
import { readEmojiName } from '../lib/emoji-name.ts';
import type { JsonObject } from '../lib/json.ts';
import type { AppManifest } from '../manifest.ts';
import { ApiError } from '../web-api/api-error.ts';
import type { AgentSessions } from '../world/agent-sessions.ts';
import { channelOf, findInstallation, isPassing, joinTeam } from '../world/directory.ts';
import type { Files, Upload } from '../world/files.ts';
import type { Membership } from '../world/membership.ts';
import type { MessageLog } from '../world/message-log.ts';
import type { Views } from '../world/views.ts';
import type { Channel, Message, Person, View } from '../world/world.ts';
import { type BotPost, incomingWebhookPath, postAsBot } from './bot-posts.ts';
import type { ComposerDraft, ComposerPreviews } from './composer-previews.ts';
import {
  clickElement,
  elementOf,
  flatOptions,
  type MessageInputs,
  searchOptions,
  storeValue,
} from './element-acts.ts';
import { clickInEntity, type EntityDeps, openEntity, requestDetails } from './entity-acts.ts';
import { closeModal, type Submitted, submitModal } from './modal-acts.ts';
import { assertShortcut, lookAt, openApp } from './opening.ts';
import {
  deniedToGuest,
  type ElementId,
  type GuestRule,
  isShutOut,
  type Outcome,
  type Place,
} from './outcome.ts';
import { encodeTyped } from './typed-text.ts';
import { typeText } from './typing.ts';
import { createVisible, type Visible } from './visible.ts';

export type ActorDeps = EntityDeps &
  GuestRule & {
    manifest: AppManifest;
    log: MessageLog;
    files: Files;
    views: Views;
    messageInputs: MessageInputs;
    membership: Membership;
    sessions: AgentSessions;
    composerPreviews: ComposerPreviews;
    baseUrl(): string;
    checkView(view: JsonObject): string[];
  };

/**
 * Acts as a person in the Slack client of their team. Each action resolves once the app has acknowledged it.
 */
export class Actor {
  readonly person: Person;
  readonly #deps: ActorDeps;
  readonly #visible: Visible;

  constructor(person: Person, deps: ActorDeps) {
    this.person = person;
    this.#deps = deps;
    this.#visible = createVisible(deps, person);
  }

  /** Sends a text. `/command …` is a slash command, which isn't allowed in threads. Any other text is a message. */
  types(
    channelId: string,
    text: string,
    more: {
      threadTs?: string | undefined;
      files?: JsonObject[];
      uploads?: Upload[];
      /** Channel that the person sees while writing to the app. */
      inView?: string | undefined;
    } = {},
  ): Promise<{ outcome: Outcome; message?: Message }> {
    const channel = this.#visible.channel(channelId);
    return typeText(this.#deps, this.person, { channel, text, ...more });
  }

  /** Pastes text into the composer without sending. The app's link previews appear in the draft. */
  pastes(channelId: string, text: string): Promise<ComposerDraft> {
    const { teamId } = this.#visible.channel(channelId);
    return this.#deps.composerPreviews.paste(this.person.id, teamId, text);
  }

  /** Clicks a button, or selects `value` in a select, checkbox, overflow or date picker. */
  async clicks(place: Place, id: ElementId, value?: unknown): Promise<Outcome> {
    if (isShutOut(this.#deps, this.person)) return deniedToGuest;
    return await clickElement(this.#deps, this.person, {
      shown: this.#visible.shown(place),
      id,
      value,
    });
  }

  async usesMessageShortcut(
    callbackId: string,
    { channelId, ts }: { channelId: string; ts: string },
  ): Promise<Outcome> {
    assertShortcut(this.#deps.manifest, 'message', callbackId);
    if (isShutOut(this.#deps, this.person)) return deniedToGuest;
    const message = this.#visible.message(channelId, ts);
    return await this.#deps.interactions.messageShortcut(this.person, callbackId, message);
  }

  /** Uses a global shortcut. With `at`, the person uses the shortcut in the composer of the conversation `at`. */
  async usesGlobalShortcut(callbackId: string, { at }: { at?: string } = {}): Promise<Outcome> {
    assertShortcut(this.#deps.manifest, 'global', callbackId);
    if (isShutOut(this.#deps, this.person)) return deniedToGuest;
    const current = at && this.#visible.channel(at).id;
    return await this.#deps.interactions.globalShortcut(this.person, callbackId, current);
  }

  /** Returns the top modal. Undefined if no modal is open. */
  modal(): View | undefined {
    return this.modals().at(-1);
  }

  modals(): readonly View[] {
    return this.#deps.views.stack(this.person.id);
  }

  /**
   * Fills inputs of the top modal, found by action ID or block ID. Elements with `dispatch_action` and elements outside
   * of input blocks send an action at once. Returns the app's answers in order.
   */
  async fills(values: Record<string, unknown>): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const [id, value] of Object.entries(values)) {
      const shown = { view: this.#openModal() };
      const found = elementOf(shown, id);
      const sendsAction =
        found.block['type'] !== 'input' || found.block['dispatch_action'] === true;
      if (sendsAction) outcomes.push(await this.clicks(shown, id, value));
      else storeValue(this.#deps.views, shown.view, found, value);
    }
    return outcomes;
  }

  /** Enters a value in an element of a view, without sending an action. */
  enters(view: View, id: ElementId, value: unknown): void {
    storeValue(this.#deps.views, view, elementOf({ view }, id), value);
  }

  /**
   * Fills inputs, then clicks the submit button. Field errors come from Slack's client (required, length) or from the
   * app.
   */
  async submits(values: Record<string, unknown> = {}): Promise<Submitted> {
    await this.fills(values);
    return await submitModal(this.#deps, this.person, this.#openModal());
  }

  closesModal({ all = false }: { all?: boolean } = {}): Promise<void> {
    return closeModal(this.#deps, this.person, this.#openModal(), { all });
  }

  /**
   * Types into an external select of the top modal or of `place`. Returns the options that the app offers, without
   * their groups.
   */
  async searches(id: ElementId, query: string, place?: Place): Promise<JsonObject[]> {
    return flatOptions(await this.offers(id, query, place));
  }

  /**
   * Types into an external select as `searches` does, but returns the app's whole answer: `{options}` or
   * `{option_groups}`.
   */
  offers(id: ElementId, query: string, place?: Place): Promise<JsonObject> {
    const shown = this.#visible.shown(place ?? { view: this.#openModal() });
    return searchOptions(this.#deps, this.person, { shown, id, query });
  }

  /**
   * Clicks the card of an entity below a message. Finds the entity by the app's ID, or clicks the first card if there's
   * no ID.
   */
  opensEntity(channelId: string, ts: string, externalId?: string): Promise<void> {
    const message = this.#visible.message(channelId, ts);
    return openEntity(this.#deps, this.person, message, externalId);
  }

  /** Returns the entity details that this person has open. */
  flexpane(): Flexpane | undefined {
    return this.#deps.flexpanes.of(this.person.id);
  }

  refreshesEntity(): Promise<void> {
    return requestDetails(this.#deps, this.person);
  }

  clicksInEntity(actionId: string): Promise<Outcome> {
    return clickInEntity(this.#deps, this.person, actionId);
  }

  closesEntity(): void {
    this.#deps.flexpanes.close(this.person.id);
  }

  /** Opens the app's Home tab. Returns the tab's view after the app has acknowledged the event. */
  async opensHome(): Promise<View | undefined> {
    await this.#opens('home');
    return this.home();
  }

  /** Opens the app's messages. With `inView`, the person sees this channel next to the messages. */
  async opensMessages({ inView }: { inView?: string | undefined } = {}): Promise<void> {
    await this.#opens('messages');
    const seen = inView && { directId: this.directChannelId, inView };
    if (seen) await lookAt(this.#deps, this.person, seen);
  }

  home = (): View | undefined => this.#visible.home();

  /**
   * Returns the messages that this person sees in a conversation, including ephemeral ones. Leaves out the messages
   * that `passing` returns.
   */
  sees(channelId: string): Message[] {
    return this.#visible.messages(channelId).filter((each) => !isPassing(this.#deps.world, each));
  }

  /**
   * Returns the ephemeral messages in direct messages with an agent. Slack shows such a message only until its thread
   * is closed, and never again.
   */
  passing(channelId: string): Message[] {
    return this.#visible.messages(channelId).filter((each) => isPassing(this.#deps.world, each));
  }

  /** Reacts to a message with an emoji, such as `eyes`. */
  async reacts(channelId: string, ts: string, emoji: string): Promise<void> {
    const message = this.#visible.reactable(channelId, ts);
    const name = readEmojiName(emoji);
    if (!name) throw new Error(`${emoji} isn't the name of an emoji`);
    await this.#deps.log.react(message, name, this.person.id).delivered;
  }

  async unreacts(channelId: string, ts: string, name: string): Promise<void> {
    const message = this.#visible.reactable(channelId, ts);
    await this.#deps.log.unreact(message, name, this.person.id).delivered;
  }

  /** Posts a message with its bot token, as another app does. Only for bots. */
  async posts(channelId: string, post: BotPost): Promise<Message> {
    const channel = this.#visible.channel(channelId);
    if (!channel.memberIds.includes(this.person.id)) throw new ApiError('not_in_channel');
    const { message, delivered } = postAsBot(this.#deps, { bot: this.person, channel }, post);
    await delivered;
    return message;
  }

  /** Returns the URL of this bot's incoming webhook for a channel. Other programs can post to it. */
  incomingWebhook(channelId: string): string {
    const { world, baseUrl } = this.#deps;
    return baseUrl() + incomingWebhookPath(world, this.person, channelId);
  }

  /** Clicks Stop in a thread in which the app is working. */
  async stops(channelId: string, threadTs: string): Promise<void> {
    const { id } = this.#visible.channel(channelId);
    await this.#deps.sessions.stop(id, threadTs, this.person.id);
  }

  async edits(channelId: string, ts: string, text: string): Promise<void> {
    const { world, log } = this.#deps;
    const message = this.#visible.ownMessage(channelId, ts);
    const encoded = encodeTyped(world, channelOf(world, channelId).teamId, text);
    await log.update(message, { text: encoded, blocks: undefined });
  }

  /** Deletes a file of this person. Messages with the file remain without it. */
  deletesFile(id: string): void {
    this.#deps.files.remove(this.#visible.ownFile(id));
  }

  /** Deletes a message. Admins may delete all messages. */
  async deletes(channelId: string, ts: string): Promise<void> {
    await this.#deps.log.remove(this.#visible.ownMessage(channelId, ts));
  }

  joinsTeam(teamId: string, channelIds: readonly string[]): void {
    joinTeam(this.#deps.world, this.person, { teamId, channelIds });
  }

  async joins(channelId: string): Promise<void> {
    await this.#deps.membership.join(this.#visible.channel(channelId), this.person.id);
  }

  async leaves(channelId: string): Promise<void> {
    await this.#deps.membership.leave(this.#visible.channel(channelId), this.person.id);
  }

  /** Invites another person to a channel, by user ID. */
  async invites(channelId: string, userId: string): Promise<void> {
    await this.#deps.membership.join(this.#visible.channel(channelId), userId, this.person.id);
  }

  /** Makes a channel private, which only admins can do. Slack sends apps a message in the channel, but no event. */
  async makesPrivate(channelId: string): Promise<void> {
    if (!['admin', 'owner'].includes(this.person.role))
      throw new Error(`${this.person.realName} isn't an admin`);
    this.#deps.membership.makePrivate(this.#visible.channel(channelId), this.person.id);
  }

  async invitesApp(channelId: string): Promise<void> {
    const channel = this.#visible.channel(channelId);
    await this.#deps.membership.join(channel, this.#botIn(channel), this.person.id);
  }

  async removesApp(channelId: string): Promise<void> {
    const channel = this.#visible.channel(channelId);
    await this.#deps.membership.leave(channel, this.#botIn(channel));
  }

  /** Returns the ID of the direct channel with the app. */
  get directChannelId(): string {
    return this.#visible.directChannelId();
  }

  #opens(tab: 'home' | 'messages'): Promise<void> {
    const opening = { channelId: this.directChannelId, tab, home: this.home() };
    return openApp(this.#deps, this.person, opening);
  }

  #botIn(channel: Channel): string {
    const installation = findInstallation(this.#deps.world, channel.teamId);
    if (!installation) throw new Error("the app isn't installed");
    return installation.botUserId;
  }

  #openModal(): View {
    const view = this.modal();
    if (!view) throw new Error(`${this.person.realName} has no modal open`);
    return view;
  }
}
