import type { EntityMetadata } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { serviceOf } from '../../requests/connection.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { People } from '../people/people.ts';
import type { Rights } from '../people/rights.ts';
import { unknownRun } from '../posting/answer-privately.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import type { RunRef } from '../runs/run-ref.ts';
import { type RunLinkParts, readRunLink } from './read-run-link.ts';
import { readExternalId, writeExternalId } from './run-entity.ts';
import { renderRunDetails } from './run-entity-details.ts';

/** What Slack's own examples leave out is optional. */
const requestedSchema = z.looseObject({
  user: z.string(),
  trigger_id: z.string(),
  channel: z.string().optional(),
  entity_url: z.string().optional(),
  link: z.looseObject({ url: z.string().optional() }).optional(),
  external_ref: z.looseObject({ id: z.string() }).optional(),
});
type DetailsRequested = z.infer<typeof requestedSchema>;

type RunEntityParts = RunLinkParts & {
  access: Pick<RunAccess, 'see'>;
  people: Pick<People, 'look'>;
  promptRights: Pick<Rights, 'offersCancel'>;
  client: Pick<WebClient, 'entity'>;
};

/** The details that open when someone clicks the card of a run. Each person sees their own. */
export function registerRunEntity(app: Listeners, parts: RunEntityParts): void {
  const { access, people, promptRights, client } = parts;

  app.event('entity_details_requested', async ({ event: sent, context }) => {
    const { data: event } = requestedSchema.safeParse(sent);
    if (!event) return;
    const teamId = context.teamId ?? '';
    const { user: userId, channel: conversationId, trigger_id: trigger } = event;
    const ref = await refOf(parts, teamId, event);
    const viewer = { teamId, userId, conversationId };
    const found = ref ? await access.see(viewer, ref) : { sentence: unknownRun };
    if (!ref || 'sentence' in found) {
      const sentence = 'sentence' in found ? found.sentence : unknownRun;
      return present(client, { trigger_id: trigger, error: refusal(sentence) });
    }
    const known = await people.look([userId]);
    const canCancelAll = await promptRights.offersCancel({ teamId, userId }, known.get(userId));
    const metadata: EntityMetadata = {
      entity_type: 'slack#/entities/task',
      // Slack wants the same two as in the event.
      url: event.entity_url ?? event.link?.url ?? '',
      external_ref: { id: writeExternalId(ref), ...event.external_ref },
      entity_payload: renderRunDetails(found, { userId, canCancelAll, people: known }),
    };
    await present(client, { trigger_id: trigger, metadata });
  });
}

/** Slack leaves out our id where it doesn't know it. */
async function refOf(
  parts: RunLinkParts,
  teamId: string,
  { external_ref: reference, link, entity_url: url }: DetailsRequested,
): Promise<RunRef | undefined> {
  if (reference) return readExternalId(reference.id);
  const address = link?.url ?? url;
  const linked = address === undefined ? undefined : await readRunLink(parts, teamId, address);
  if (!linked) return undefined;
  if ('request' in linked) return { requestId: linked.request.id };
  return { runId: linked.run.run_id, serviceId: serviceOf(linked.connectionId) };
}

const refusal = (sentence: string) => ({
  status: 'custom',
  custom_title: "This run can't be shown",
  custom_message: sentence,
});

/** Too late or closed again: a person who still wants to see it refreshes the pane. */
async function present(
  client: Pick<WebClient, 'entity'>,
  shown: Parameters<WebClient['entity']['presentDetails']>[0],
): Promise<void> {
  try {
    await client.entity.presentDetails(shown);
  } catch (error) {
    if (readSlackFailure(error).outcome === 'later') throw error;
  }
}
