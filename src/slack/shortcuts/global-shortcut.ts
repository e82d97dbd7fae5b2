import type { Listeners } from '../connection/deliveries/listeners.ts';
import { onOpeningClick } from '../runs/acting/click.ts';
import type { OpenForm } from '../runs/acting/run-start.ts';
import { newRunAction } from '../runs/showing/buttons/run-buttons.ts';

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

  onOpeningClick(app, newRunAction, ({ body, client, viewer }) => {
    const to = { triggerId: body.trigger_id, asker: { ...viewer, channelId: '' } };
    return openForm(client, to, { ...emptyDraft, origin: { kind: 'home' } });
  });
}

const emptyDraft = { channelId: '', prompt: '', typed: {} };
