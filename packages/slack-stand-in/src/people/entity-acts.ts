import type { AppEvents } from '../deliveries/app-events.ts';
import type { Triggers } from '../deliveries/triggers.ts';
import type { EntityPreview } from '../entities/entity-schema.ts';
import { buttonsOf, type Flexpane, type Flexpanes } from '../entities/flexpanes.ts';
import type { Clock } from '../lib/ids.ts';
import { compact } from '../lib/json.ts';
import { entityDetailsRequested } from '../payloads/entity.ts';
import { channelOf } from '../world/directory.ts';
import type { Message, Person, World } from '../world/world.ts';
import type { Interactions } from './interactions.ts';
import type { Outcome } from './outcome.ts';

export type EntityDeps = {
  world: World;
  clock: Clock;
  events: AppEvents;
  triggers: Triggers;
  flexpanes: Flexpanes;
  interactions: Interactions;
};

/** Returns the entities whose cards are below a message. */
const entitiesOf = ({ attachments = [] }: Message): EntityPreview[] =>
  attachments.flatMap(({ entity }) => (entity ? [entity as EntityPreview] : []));

/**
 * Clicks the card of an entity, which opens its details. Finds the entity by the app's ID, or clicks the first card if
 * there's no ID.
 */
export async function openEntity(
  deps: EntityDeps,
  person: Person,
  message: Message,
  externalId?: string,
): Promise<void> {
  const all = entitiesOf(message);
  const entity = all.find(({ external_ref: { id } }) => id === (externalId ?? id));
  if (!entity) throw new Error('there is no such entity below this message');
  const { channelId, ts, threadTs } = message;
  deps.flexpanes.open(person.id, {
    channelId,
    messageTs: ts,
    threadTs,
    teamId: channelOf(deps.world, channelId).teamId,
    url: entity.url,
    unfurlUrl: entity.app_unfurl_url,
    externalRef: entity.external_ref,
  });
  await requestDetails(deps, person);
}

/**
 * Requests the details of the open entity from the app. Slack does this when the pane opens or is refreshed, and after
 * a click in the pane.
 */
export async function requestDetails(deps: EntityDeps, person: Person): Promise<void> {
  const { clock, events, triggers } = deps;
  const flexpane = openFlexpane(deps, person);
  const { teamId, channelId: currentChannelId } = flexpane;
  const trigger = { userId: person.id, teamId, currentChannelId, entity: flexpane };
  const request = {
    userId: person.id,
    triggerId: triggers.create(trigger),
    eventTs: clock.nextTs(),
  };
  const event = entityDetailsRequested(flexpane, request);
  await events.anywhere(flexpane.channelId, 'entity_details_requested', event);
}

export async function clickInEntity(
  deps: EntityDeps,
  person: Person,
  actionId: string,
): Promise<Outcome> {
  const flexpane = openFlexpane(deps, person);
  const button = buttonsOf(flexpane).find((each) => each.action_id === actionId);
  if (!button) throw new Error(`the details of the entity have no button ${actionId}`);
  const { text, value, url, style } = button;
  const action = compact({
    type: 'button',
    action_id: actionId,
    block_id: '',
    value,
    url,
    style,
    text: { type: 'plain_text', text },
    action_ts: deps.clock.nextTs(),
  });
  const outcome = await deps.interactions.clickInEntity(person, flexpane, action);
  if (deps.flexpanes.of(person.id)) await requestDetails(deps, person);
  return outcome;
}

function openFlexpane({ flexpanes }: EntityDeps, { id, realName }: Person): Flexpane {
  const flexpane = flexpanes.of(id);
  if (!flexpane) throw new Error(`${realName} has no entity open`);
  return flexpane;
}
