import type { BlockAction, ButtonAction } from '@slack/bolt';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { acknowledgeAfter } from '../connection/acknowledge-in-time.ts';
import type { Listeners } from '../connection/listeners.ts';
import type { Rights } from '../people/rights.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { type Click, viewerOf } from '../runs/click.ts';

export type AdminClick = Click & { viewer: RunViewer; viewId: string; value: string };

/** A button in a modal, for workspace admins. */
export function onAdminClick(
  app: Listeners,
  { rights }: { rights: Pick<Rights, 'refuseSettings'> },
  actionId: string,
  act: (click: AdminClick) => Promise<void>,
): void {
  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: actionId },
    async ({ ack, action, body, client, context }) => {
      const viewer = viewerOf(body, context.teamId);
      await acknowledgeAfter({ ack, context }, async () => {
        const refusal = await rights.refuseSettings(viewer, 'workspace');
        if (refusal) return answerPrivately({ body, client }, { text: `🔒 ${refusal}` });
        if (!body.view) return;
        await act({ body, client, viewer, viewId: body.view.id, value: action.value ?? '' });
      });
    },
  );
}
