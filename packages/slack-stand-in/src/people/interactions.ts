import type { Deliveries } from '../deliveries/deliveries.ts';
import type { Answer } from '../deliveries/delivery.ts';
import type { ResponseUrls } from '../deliveries/response-urls.ts';
import type { Triggers } from '../deliveries/triggers.ts';
import type { OpenedEntity } from '../entities/flexpanes.ts';
import type { Clock } from '../lib/ids.ts';
import type { JsonObject } from '../lib/json.ts';
import {
  blockActionsInMessage,
  blockActionsInView,
  blockSuggestion,
} from '../payloads/block-actions.ts';
import { blockActionsInEntity } from '../payloads/entity.ts';
import { globalShortcut, messageShortcut, slashCommand } from '../payloads/interaction.ts';
import { viewClosed, viewSubmission } from '../payloads/view.ts';
import { ApiError } from '../web-api/api-error.ts';
import { channelOf, isMemberOf } from '../world/directory.ts';
import { servingTeam } from '../world/views.ts';
import type { Message, Person, View, World } from '../world/world.ts';
import type { Outcome } from './outcome.ts';

type InteractionsDeps = {
  world: World;
  isInteractive: boolean;
  clock: Clock;
  deliveries: Deliveries;
  triggers: Triggers;
  responseUrls: ResponseUrls;
};

/**
 * Sends a person's interactions to the app. Each has a new trigger ID, and a `response_url` if Slack would send one.
 */
export class Interactions {
  readonly #deps: InteractionsDeps;

  constructor(deps: InteractionsDeps) {
    this.#deps = deps;
  }

  async command(
    person: Person,
    channelId: string,
    command: string,
    text: string,
  ): Promise<Outcome> {
    const { world, deliveries, responseUrls } = this.#deps;
    const { teamId } = channelOf(world, channelId);
    const place = { teamId, channelId, userId: person.id, isCommand: true };
    const isInDirect = channelOf(world, channelId).kind === 'im';
    const payload = slashCommand(world, {
      userId: person.id,
      teamId: !isInDirect && isMemberOf(person, teamId) ? teamId : person.teamId,
      channelId,
      command,
      text,
      responseUrl: responseUrls.create('commands', place),
      triggerId: this.#trigger(person, place.teamId, channelId),
    });
    const answer = await deliveries.send({ kind: 'slash_commands', payload });
    if (!answer.acked || !isAnswer(answer.body)) return answer;
    try {
      responseUrls.respond(place, answer.body);
      return answer;
    } catch (error) {
      // Return the error in the app's answer, because Slack's client shows it as for any failed command.
      if (error instanceof ApiError) return { acked: false, error: error.code };
      throw error;
    }
  }

  clickInMessage(
    person: Person,
    message: Message,
    { action, values }: { action: JsonObject; values: View['values'] },
  ): Promise<Answer> {
    const { world, responseUrls } = this.#deps;
    const { channelId } = message;
    const { teamId } = channelOf(world, channelId);
    const place = { teamId, channelId, userId: person.id, messageTs: message.ts };
    const responseUrl = responseUrls.create('actions', place);
    const triggerId = this.#trigger(person, teamId, channelId);
    const click = { userId: person.id, triggerId, action };
    return this.#send(blockActionsInMessage(world, click, message, { responseUrl, values }));
  }

  clickInView(person: Person, view: View, action: JsonObject): Promise<Answer> {
    const triggerId = this.#trigger(person, view.teamId, view.currentChannelId);
    const click = { userId: person.id, triggerId, action };
    return this.#send(blockActionsInView(this.#deps.world, click, view));
  }

  clickInEntity(
    person: Person,
    entity: OpenedEntity & { teamId: string },
    action: JsonObject,
  ): Promise<Answer> {
    const { world, triggers } = this.#deps;
    const { teamId, channelId: currentChannelId } = entity;
    const doing = { userId: person.id, teamId, currentChannelId, entity };
    const click = { userId: person.id, triggerId: triggers.create(doing), action };
    return this.#send(blockActionsInEntity(world, click, entity));
  }

  search(
    person: Person,
    search: { blockId: string; actionId: string; query: string },
    place: { view: View } | { message: Message },
  ): Promise<Answer> {
    const payload = blockSuggestion(this.#deps.world, { userId: person.id, ...search }, place);
    return this.#send(payload);
  }

  submit(person: Person, view: View, responseUrlChannels: readonly Picked[]): Promise<Answer> {
    const { world, responseUrls } = this.#deps;
    const { teamId } = view;
    const urls = responseUrlChannels.map(({ blockId, actionId, channelId }) => ({
      block_id: blockId,
      action_id: actionId,
      channel_id: channelId,
      response_url: responseUrls.create('app', { teamId, channelId, userId: person.id }),
    }));
    const triggerId = this.#trigger(person, teamId, view.currentChannelId);
    return this.#send(viewSubmission(world, view, { triggerId, responseUrls: urls }));
  }

  closed(view: View, isCleared: boolean): Promise<Answer> {
    return this.#send(viewClosed(this.#deps.world, view, { isCleared }));
  }

  /**
   * Sends a global shortcut. The payload doesn't name the conversation, but pickers in the view that opens can default
   * to it.
   */
  globalShortcut(person: Person, callbackId: string, currentChannelId?: string): Promise<Answer> {
    const { world, clock } = this.#deps;
    const teamId = servingTeam(world, person);
    const triggerId = this.#trigger(person, teamId, currentChannelId);
    const shortcut = { userId: person.id, teamId, callbackId, triggerId, actionTs: clock.nextTs() };
    return this.#send(globalShortcut(world, shortcut));
  }

  messageShortcut(person: Person, callbackId: string, message: Message): Promise<Answer> {
    const { world, clock, responseUrls } = this.#deps;
    const { channelId } = message;
    const { teamId } = channelOf(world, channelId);
    const triggerId = this.#trigger(person, teamId, channelId);
    const shortcut = { userId: person.id, teamId, callbackId, triggerId, actionTs: clock.nextTs() };
    const responseUrl = responseUrls.create('app', { teamId, channelId, userId: person.id });
    return this.#send(messageShortcut(world, shortcut, { message, responseUrl }));
  }

  #trigger(person: Person, teamId: string, currentChannelId: string | undefined): string {
    return this.#deps.triggers.create({ userId: person.id, teamId, currentChannelId });
  }

  #send(payload: JsonObject): Promise<Answer> {
    if (!this.#deps.isInteractive) return Promise.resolve(notConfigured);
    return this.#deps.deliveries.send({ kind: 'interactive', payload });
  }
}

export type Picked = { blockId: string; actionId: string; channelId: string };

/** Answer if interactivity is off in the manifest. The app receives nothing then. */
const notConfigured: Answer = {
  acked: false,
  error: 'app_not_interactive',
  reason: 'connection_failed',
};

/** Returns true if the acknowledgment has content to show. */
function isAnswer(body: unknown): boolean {
  if (typeof body === 'string') return body !== '';
  return typeof body === 'object' && body !== null && Object.keys(body).length > 0;
}
