import type { Context, ViewOutput } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Settings } from '../../store/people/settings.ts';
import { takeOver } from '../configuration/keyed-servers.ts';
import { findPreset } from '../configuration/presets.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import { findEnvironmentError } from '../configuration/run-connections.ts';
import { describeConfig } from '../configuration/run-defaults.ts';
import { findPresetError, savePreset } from '../configuration/save-preset.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { showModal, updateOpenModal } from '../posting/modals.ts';
import { onOpeningClick } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { savePresetAction } from '../runs/showing/buttons/run-buttons.ts';
import {
  type DialogSubject,
  readDialog,
  renderSaveDialog,
  renderSaved,
  saveDialogId,
} from './preset-dialogs.ts';

type KeepingParts = {
  settings: Settings;
  access: Pick<RunAccess, 'seeRequest'>;
  promptRights: Pick<Rights, 'refusePreset'>;
  connections: Pick<RunConnections, 'catalogFor'>;
  ackWaitMs: number;
  /** A page of the current list of presets. */
  render(asker: Asker, page?: number): Promise<ModalView>;
};

/**
 * *Save as preset* in the details of a run, and the dialog that asks for a preset's name. Others use a channel's preset in
 * commands, so only its maker and admins can replace or delete it.
 */
export function registerSavePreset(app: Listeners, parts: KeepingParts): void {
  const { settings, access } = parts;

  onOpeningClick(app, savePresetAction, async (click) => {
    const { viewer, value } = click;
    const found = await access.seeRequest(viewer, value);
    if ('sentence' in found) return answerPrivately(click, { text: found.sentence });
    const { request } = found;
    const subject = { channelId: request.channelId, requestId: request.id };
    const asker = { ...viewer, channelId: request.channelId };
    const { config } = await takeOver(parts.settings, asker, request);
    await showModal(click, renderSaveDialog(subject, describeConfig(config)));
  });

  app.view(saveDialogId, async ({ ack, body, view, client, context }) => {
    const { subject, name, scope, replaces } = readDialog(view);
    const asker = askerOf(context, body.user.id, subject);
    const config = await configOf(asker, subject);
    const preset = { name: name ?? '', scope };
    async function findError(): Promise<string | undefined> {
      if (!config) return gone;
      // In parallel, because Slack waits only three seconds.
      const [presetError, environmentError] = await Promise.all([
        findPresetError(parts, asker, { ...preset, replaces, config }),
        findEnvironmentError(parts, asker, config),
      ]);
      return presetError ?? environmentError;
    }
    const error = name ? await findError() : noName;
    if (error || !config)
      return ack({ response_action: 'errors', errors: { save_as: error ?? gone } });
    await savePreset(parts, asker, { ...preset, config });
    if (subject.requestId) return ack({ response_action: 'update', view: renderSaved(preset) });
    await ack();
    await refresh(client, view, asker, subject.page);
  });

  async function configOf(asker: Asker, { requestId, preset }: DialogSubject) {
    if (requestId) {
      // They were in the channel when the dialog opened.
      const viewer = { ...asker, conversationId: asker.channelId };
      const found = await access.seeRequest(viewer, requestId);
      return 'request' in found
        ? (await takeOver(settings, asker, found.request)).config
        : undefined;
    }
    return preset && (await findPreset(settings, asker, preset))?.config;
  }

  /** Updates the list below the dialog, if it's still open. */
  async function refresh(client: WebClient, view: ViewOutput, asker: Asker, page?: number) {
    const { previous_view_id: listId } = view;
    if (listId) await updateOpenModal(client, listId, await parts.render(asker, page));
  }
}

const askerOf = (
  { teamId = '' }: Pick<Context, 'teamId'>,
  userId: string,
  { channelId }: DialogSubject,
): Asker => ({ teamId, userId, channelId });

const noName = 'Enter a name.';
const gone = 'This preset or run no longer exists.';
