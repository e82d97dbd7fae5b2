import type { Listeners } from '../connection/deliveries/listeners.ts';
import { onOpeningClick } from '../runs/acting/click.ts';
import type { OpenForm } from '../runs/acting/run-start.ts';
import { newRunAction } from '../runs/showing/buttons/run-buttons.ts';
import { createWorkspaceChoice } from './choose-workspace.ts';

type GlobalShortcutParts = Parameters<typeof createWorkspaceChoice>[0] & { openForm: OpenForm };

/** *Start an agent run* in the search bar or composer, and *New run* in the Home tab. The channel isn't known. */
export function registerGlobalShortcut(app: Listeners, parts: GlobalShortcutParts): void {
  const { openForm } = parts;
  const chooseWorkspace = createWorkspaceChoice(parts);
  app.shortcut('global-shortcut:run', async ({ shortcut, ack, client, context }) => {
    await ack();
    const { trigger_id: triggerId, user, is_enterprise_install: isWholeOrg } = shortcut;
    const asker = { teamId: context.teamId ?? '', userId: user.id, channelId: '' };
    const choice = isWholeOrg ? await chooseWorkspace(asker) : undefined;
    if (choice) return void (await client.views.open({ trigger_id: triggerId, view: choice }));
    const to = { triggerId, asker };
    await openForm(client, to, { ...emptyDraft, origin: { kind: 'shortcut' } });
  });

  onOpeningClick(app, newRunAction, ({ body, client, viewer }) => {
    const to = { triggerId: body.trigger_id, asker: { ...viewer, channelId: '' } };
    return openForm(client, to, { ...emptyDraft, origin: { kind: 'home' } });
  });
}

const emptyDraft = { channelId: '', prompt: '', typed: {} };
