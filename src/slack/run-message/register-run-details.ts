import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Requests } from '../../store/requests.ts';
import { detailsAction } from '../run-buttons.ts';
import { tell, unknownRun } from '../tell.ts';
import { detailsPageAction, readDetailsTab, renderDetails } from './run-details-view.ts';

type DetailsParts = { requests: Pick<Requests, 'find'> };

export type OpenDetails = (asked: {
  requestId: string;
  triggerId: string;
  teamId: string | undefined;
  client: WebClient;
}) => Promise<'opened' | 'unknown'>;

/** *Details*, from the run message or wherever else its button stands. Anybody who sees the message may look. */
export function registerRunDetails(
  app: App,
  { requests }: DetailsParts,
): { openDetails: OpenDetails } {
  const openDetails: OpenDetails = async ({ requestId, triggerId, teamId, client }) => {
    const request = await requests.find(requestId);
    if (!request || request.teamId !== teamId) return 'unknown';
    const view = renderDetails(request, 'overview');
    await client.views.open({ trigger_id: triggerId, view });
    return 'opened';
  };

  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: detailsAction },
    async ({ ack, action, body, client, respond, context }) => {
      await ack();
      const asked = { requestId: action.value ?? '', triggerId: body.trigger_id, client };
      const outcome = await openDetails({ ...asked, teamId: context.teamId });
      if (outcome === 'unknown') await tell({ body, client, respond }, { text: unknownRun });
    },
  );

  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: detailsPageAction },
    async ({ ack, action, body, client }) => {
      await ack();
      const { view } = body;
      const asked = view && readDetailsTab(view.private_metadata, action.value);
      const request = asked && (await requests.find(asked.requestId));
      if (!request) return;
      const shown = renderDetails(request, asked.page);
      await client.views.update({ view_id: view.id, view: shown });
    },
  );

  return { openDetails };
}
