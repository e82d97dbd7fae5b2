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

export type EntityParts = {
  world: World;
  clock: Clock;
  events: AppEvents;
  triggers: Triggers;
  flexpanes: Flexpanes;
  interactions: Interactions;
};

/** The entities below a message. */
const entitiesOf = ({ attachments = [] }: Message): EntityPreview[] =>
  attachments.flatMap(({ entity }) => (entity ? [entity as EntityPreview] : []));

/** Clicks the card of an entity: by the id that the app gave it, or the first one. */
export async function openEntity(
  parts: EntityParts,
  person: Person,
  message: Message,
  externalId?: string,
): Promise<void> {
  const all = entitiesOf(message);
  const entity = all.find(({ external_ref: { id } }) => id === (externalId ?? id));
  if (!entity) throw new Error('there is no such entity below this message');
  const { channelId, ts, threadTs } = message;
  parts.flexpanes.open(person.id, {
    channelId,
    messageTs: ts,
    threadTs,
    teamId: channelOf(parts.world, channelId).teamId,
    url: entity.url,
    unfurlUrl: entity.app_unfurl_url,
    externalRef: entity.external_ref,
  });
  await requestDetails(parts, person);
}

/** Asks the app for the details, as Slack does when the pane opens, is refreshed, or after a click in it. */
export async function requestDetails(parts: EntityParts, person: Person): Promise<void> {
  const { clock, events, triggers } = parts;
  const flexpane = openFlexpane(parts, person);
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
  parts: EntityParts,
  person: Person,
  actionId: string,
): Promise<Outcome> {
  const flexpane = openFlexpane(parts, person);
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
    action_ts: parts.clock.nextTs(),
  });
  const outcome = await parts.interactions.clickInEntity(person, flexpane, action);
  if (parts.flexpanes.of(person.id)) await requestDetails(parts, person);
  return outcome;
}

function openFlexpane({ flexpanes }: EntityParts, { id, realName }: Person): Flexpane {
  const flexpane = flexpanes.of(id);
  if (!flexpane) throw new Error(`${realName} has no entity open`);
  return flexpane;
}
