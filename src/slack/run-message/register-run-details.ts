import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import type { Requests } from '../../store/requests.ts';
import { detailsAction } from '../run-buttons.ts';
import { tell, unknownRun } from '../tell.ts';
import { detailsPageAction, readDetailsTab, renderDetails } from './run-details-view.ts';

type DetailsParts = { requests: Pick<Requests, 'find'> };

/** *Details*, from the run message or wherever else its button stands. Anybody who sees the message may look. */
export function registerRunDetails(app: App, { requests }: DetailsParts): void {
  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: detailsAction },
    async ({ ack, action, body, client, respond, context }) => {
      await ack();
      const request = action.value ? await requests.find(action.value) : undefined;
      if (!request || request.teamId !== context.teamId) {
        await tell({ body, client, respond }, { text: unknownRun });
        return;
      }
      const view = renderDetails(request, 'overview');
      await client.views.open({ trigger_id: body.trigger_id, view });
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
}
