import type { Listeners } from '../connection/listeners.ts';
import { newRunAction } from '../runs/run-buttons.ts';
import type { OpenForm } from '../runs/run-start.ts';

type GlobalShortcutParts = { openForm: OpenForm };

/** *Start an agent run* in the search bar or composer, and *New run* in the Home tab. The channel isn't known. */
export function registerGlobalShortcut(app: Listeners, { openForm }: GlobalShortcutParts): void {
  app.shortcut('global-shortcut:run', async ({ shortcut, ack, client, context }) => {
    await ack();
    const teamId = context.teamId ?? '';
    const to = {
      triggerId: shortcut.trigger_id,
      asker: { teamId, userId: shortcut.user.id, channelId: '' },
    };
    await openForm(client, to, { ...emptyDraft, origin: { kind: 'shortcut' } });
  });

  app.action(
    { type: 'block_actions', action_id: newRunAction },
    async ({ ack, body, client, context }) => {
      await ack();
      const teamId = context.teamId ?? '';
      const to = {
        triggerId: body.trigger_id,
        asker: { teamId, userId: body.user.id, channelId: '' },
      };
      await openForm(client, to, { ...emptyDraft, origin: { kind: 'home' } });
    },
  );
}

const emptyDraft = { channelId: '', prompt: '', typed: {} };
