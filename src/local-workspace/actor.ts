import type { AppEvents } from './app-events.ts';
import type { Changes } from './changes.ts';
import { clickedAction } from './clicked-action.ts';
import type { Answer } from './delivery.ts';
import { canSee, channelOf, directChannel, findInstallation, findMessage } from './directory.ts';
import { type Clock, newBlockId } from './ids.ts';
import type { Interactions } from './interactions.ts';
import { isObject, type JsonObject, objectsIn } from './json.ts';
import type { AppManifest } from './manifest.ts';
import { setAppInChannel } from './membership.ts';
import type { MessageLog } from './message-log.ts';
import { encodeTyped, richTextOf } from './message-text.ts';
import { appHomeOpened } from './payloads/app-home-opened.ts';
import { applyResponse, clientErrors, type FieldErrors, pickedForResponse } from './submission.ts';
import { type Element, type ElementId, findElement } from './view-elements.ts';
import { hasValue, toValue } from './view-values.ts';
import { servingTeam, type Views } from './views.ts';
import type { Channel, Message, Person, View, World } from './world.ts';

export type ActorParts = {
  world: World;
  manifest: AppManifest;
  clock: Clock;
  changes: Changes;
  log: MessageLog;
  views: Views;
  interactions: Interactions;
  events: AppEvents;
  /** Problems of a view that came with an acknowledgement. */
  checkView(view: JsonObject): string[];
};

/** What a person sees after acting: the app's answer, or the words of Slack's client. */
export type Outcome = Answer | { acked: false; error: string };

export type ClickPlace = { channelId: string; messageTs: string } | { view: View };

/** A person acting as one would in Slack's client. Each act resolves when the app has acknowledged it. */
export class Actor {
  readonly person: Person;
  readonly #parts: ActorParts;

  constructor(person: Person, parts: ActorParts) {
    this.person = person;
    this.#parts = parts;
  }

  /** `/command …` is a slash command (never in a thread), everything else a message. */
  async types(
    channelId: string,
    text: string,
    { threadTs }: { threadTs?: string } = {},
  ): Promise<{ outcome: Outcome; message?: Message }> {
    const { world, log } = this.#parts;
    const channel = this.#channel(channelId);
    if (/^\/\S/.test(text)) return { outcome: await this.#command(channel, text, threadTs) };
    if (!channel.memberIds.includes(this.person.id)) return refused('not_in_channel');
    if (channel.isArchived) return refused('is_archived');
    const encoded = encodeTyped(world, channel.teamId, text);
    const { message, told } = log.post({
      channelId,
      userId: this.person.id,
      text: encoded,
      blocks: [richTextOf(encoded, newBlockId())],
      clientMessageId: crypto.randomUUID(),
      ...(threadTs && { threadTs }),
    });
    const answers = await told;
    const outcome = answers.find(({ acked }) => !acked) ?? answers[0];
    return { outcome: outcome ?? { acked: true, body: undefined }, message };
  }

  /** Clicks a button, or picks `value` in a select, checkbox, overflow or date picker. */
  async clicks(place: ClickPlace, id: ElementId, value?: unknown): Promise<Outcome> {
    const { interactions, clock, views } = this.#parts;
    if ('view' in place) {
      const found = this.#element(place.view.content['blocks'], id);
      if (hasValue(found.element)) this.#note(place.view, found, value);
      const action = clickedAction(found, value, clock.nextTs());
      return await interactions.clickInView(this.person, this.#current(place.view, views), action);
    }
    const message = this.#message(place.channelId, place.messageTs);
    const found = this.#element(this.#blocksOf(message), id);
    return await interactions.clickInMessage(
      this.person,
      message,
      clickedAction(found, value, clock.nextTs()),
    );
  }

  async usesMessageShortcut(
    callbackId: string,
    { channelId, ts }: { channelId: string; ts: string },
  ): Promise<Outcome> {
    this.#declared('message', callbackId);
    const message = this.#message(channelId, ts);
    return await this.#parts.interactions.messageShortcut(this.person, callbackId, message);
  }

  async usesGlobalShortcut(callbackId: string): Promise<Outcome> {
    this.#declared('global', callbackId);
    return await this.#parts.interactions.globalShortcut(this.person, callbackId);
  }

  /** The modal on top, if one is open. */
  modal(): View | undefined {
    return this.modals().at(-1);
  }

  modals(): readonly View[] {
    return this.#parts.views.stack(this.person.id);
  }

  /**
   * Fills inputs of the top modal, by action id or block id. Elements with `dispatch_action` (and those outside of
   * input blocks) tell the app at once; the answers come back in order.
   */
  async fills(values: Record<string, unknown>): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const [id, value] of Object.entries(values)) {
      const view = this.#openModal();
      const found = this.#element(view.content['blocks'], id);
      const tellsApp = found.block['type'] !== 'input' || found.block['dispatch_action'] === true;
      if (tellsApp) outcomes.push(await this.clicks({ view }, id, value));
      else this.#note(view, found, value);
    }
    return outcomes;
  }

  /** Types or picks without telling the app, as in an input that does not dispatch. */
  notes(view: View, id: ElementId, value: unknown): void {
    this.#note(view, this.#element(view.content['blocks'], id), value);
  }

  async reacts(channelId: string, ts: string, name: string): Promise<void> {
    await this.#parts.log.react(this.#message(channelId, ts), name, this.person.id).told;
  }

  async unreacts(channelId: string, ts: string, name: string): Promise<void> {
    await this.#parts.log.unreact(this.#message(channelId, ts), name, this.person.id).told;
  }

  async deletes(channelId: string, ts: string): Promise<void> {
    const message = this.#message(channelId, ts);
    const mayDelete = message.userId === this.person.id || /admin|owner/.test(this.person.role);
    if (!mayDelete) throw new Error(`${this.person.realName} may not delete this message`);
    await this.#parts.log.remove(message);
  }

  async invitesApp(channelId: string): Promise<void> {
    await setAppInChannel(this.#parts, this.#channel(channelId).id, true);
  }

  async removesApp(channelId: string): Promise<void> {
    await setAppInChannel(this.#parts, this.#channel(channelId).id, false);
  }

  /** Presses the submit button. Field errors come from Slack's client (required, length) or from the app. */
  async submits(
    values: Record<string, unknown> = {},
  ): Promise<{ errors?: FieldErrors; error?: string }> {
    await this.fills(values);
    const { interactions, views, checkView } = this.#parts;
    const view = this.#openModal();
    const errors = clientErrors(view);
    if (Object.keys(errors).length > 0) return { errors };
    const answer = await interactions.submit(this.person, view, pickedForResponse(view));
    if (!answer.acked) return { error: answer.error };
    const { problem, ...result } = applyResponse(views, view, answer.body, checkView);
    return problem === undefined ? result : { error: problem };
  }

  /** Closes the top modal; `all` the whole stack. The app hears of it where it asked to (`notify_on_close`). */
  async closesModal({ all = false }: { all?: boolean } = {}): Promise<void> {
    const view = this.#openModal();
    const isAll = all || view.content['clear_on_close'] === true;
    const closed = this.#parts.views.close(this.person.id, { all: isAll });
    const notified = closed.filter(({ content }) => content['notify_on_close'] === true);
    await Promise.all(notified.map((each) => this.#parts.interactions.closed(each, isAll)));
  }

  /** Types into an external select; answers its options, groups flattened. */
  async searches(id: ElementId, query: string, place?: ClickPlace): Promise<JsonObject[]> {
    const body = await this.offers(id, query, place);
    const groups = objectsIn(body['option_groups']).flatMap((each) => objectsIn(each['options']));
    return [...objectsIn(body['options']), ...groups];
  }

  /** As `searches`, but as the app gave it: `{options}` or `{option_groups}`. */
  async offers(id: ElementId, query: string, place?: ClickPlace): Promise<JsonObject> {
    const where =
      place === undefined || 'view' in place
        ? { view: place?.view ?? this.#openModal() }
        : { message: this.#message(place.channelId, place.messageTs) };
    const blocks = 'view' in where ? where.view.content['blocks'] : where.message.blocks;
    const { blockId, actionId } = this.#element(blocks, id);
    const search = { blockId, actionId, query };
    const answer = await this.#parts.interactions.search(this.person, search, where);
    if (answer.acked) return isObject(answer.body) ? answer.body : {};
    throw new Error(`the options of ${actionId} could not be loaded: ${answer.error}`);
  }

  async opensHome(): Promise<View | undefined> {
    await this.#opens('home');
    return this.home();
  }

  async opensMessages(): Promise<void> {
    await this.#opens('messages');
  }

  home(): View | undefined {
    return this.#parts.views.home(this.person.id);
  }

  /** What this person sees of a conversation: its messages, and the ephemeral ones for this person. */
  sees(channelId: string): Message[] {
    const log = this.#parts.world.messages[this.#channel(channelId).id] ?? [];
    return log.filter(({ visibleTo }) => visibleTo === undefined || visibleTo === this.person.id);
  }

  /** The direct channel with the app. */
  get directChannelId(): string {
    const { world } = this.#parts;
    const installation = findInstallation(world, servingTeam(world, this.person));
    const channel = installation && directChannel(world, this.person.id, installation.botUserId);
    if (!channel) throw new Error(`${this.person.realName} has no direct channel with the app`);
    return channel.id;
  }

  async #opens(tab: 'home' | 'messages'): Promise<void> {
    const { world, clock, events } = this.#parts;
    const { id: userId } = this.person;
    const opening = { userId, channelId: this.directChannelId, ts: clock.nextTs(), tab };
    const event = appHomeOpened(world, opening, this.home());
    await events.inTeam(servingTeam(world, this.person), 'app_home_opened', event);
  }

  async #command(channel: Channel, typed: string, threadTs?: string): Promise<Outcome> {
    const { world, manifest, interactions } = this.#parts;
    const [command = '', ...rest] = typed.split(/(?<=^\S+)\s/);
    const known = manifest.features.slash_commands.find((each) => each.command === command);
    if (!known || !findInstallation(world, channel.teamId)) {
      return { acked: false, error: `${command} is not a valid command` };
    }
    if (threadTs) return { acked: false, error: `${command} is not supported in threads. Sorry!` };
    const text = rest.join(' ').trim();
    const sent = known.should_escape ? encodeTyped(world, channel.teamId, text) : text;
    return await interactions.command(this.person, channel.id, command, sent);
  }

  #channel(channelId: string): Channel {
    const channel = channelOf(this.#parts.world, channelId);
    if (canSee(channel, this.person)) return channel;
    throw new Error(`${this.person.realName} cannot see channel ${channelId}`);
  }

  #message(channelId: string, ts: string): Message {
    this.#channel(channelId);
    const message = findMessage(this.#parts.world, channelId, ts);
    if (message && (!message.visibleTo || message.visibleTo === this.person.id)) return message;
    throw new Error(`${this.person.realName} sees no message ${ts} in ${channelId}`);
  }

  #blocksOf(message: Message): JsonObject[] {
    const attached = (message.attachments ?? []).flatMap((each) => objectsIn(each['blocks']));
    return [...(message.blocks ?? []), ...attached];
  }

  #element(blocks: unknown, id: ElementId): Element {
    const found = findElement(blocks, id);
    if (found) return found;
    const name = typeof id === 'string' ? id : `${id.blockId}/${id.actionId}`;
    throw new Error(`nothing with action or block id "${name}" is shown`);
  }

  #note(view: View, { blockId, actionId, element }: Element, value: unknown): void {
    this.#parts.views.setValue(view, blockId, actionId, toValue(element, value ?? null));
  }

  #current(view: View, views: Views): View {
    return views.find(view.teamId, { id: view.id }) ?? view;
  }

  #openModal(): View {
    const view = this.modal();
    if (!view) throw new Error(`${this.person.realName} has no modal open`);
    return view;
  }

  #declared(type: 'global' | 'message', callbackId: string): void {
    const { shortcuts } = this.#parts.manifest.features;
    if (shortcuts.some((each) => each.type === type && each.callback_id === callbackId)) return;
    throw new Error(`the manifest declares no ${type} shortcut "${callbackId}"`);
  }
}

function refused(error: string): { outcome: Outcome } {
  return { outcome: { acked: false, error } };
}
