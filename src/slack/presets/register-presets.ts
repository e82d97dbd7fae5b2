import type { Context, ViewOutput } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Settings } from '../../store/people/settings.ts';
import { takeOver } from '../configuration/keyed-servers.ts';
import { findPreset, listPresets, type Preset, removePreset } from '../configuration/presets.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import { findEnvironmentError } from '../configuration/run-connections.ts';
import { describeConfig } from '../configuration/run-defaults.ts';
import { findPresetError, savePreset } from '../configuration/save-preset.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { forMembers, type OpenModal } from '../people/members-only.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { showModal, updateOpenModal } from '../posting/modals.ts';
import { type Clicked, onClick, onOpeningClick } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { savePresetAction } from '../runs/showing/buttons/run-buttons.ts';
import {
  type DialogSubject,
  presetIds,
  readDialog,
  readPresetButton,
  readPresetsPosition,
  renderPresets,
  renderSaveDialog,
  renderSaved,
  saveDialogId,
} from './presets-view.ts';

type Deps = {
  settings: Settings;
  access: RunAccess;
  rights: Rights;
  /** Rights that wait for Slack only as long as an acknowledgement allows. */
  promptRights: Rights;
  connections: RunConnections;
  ackWaitMs: number;
};

type PresetClick = Clicked & { asker: Asker; viewId: string; page: number };

/** Registers `/agent presets`, a list in which people share and delete presets. */
export function registerPresets(app: Listeners, deps: Deps): OpenModal {
  const { settings, rights, promptRights } = deps;
  const render = async (asker: Asker, page = 0) =>
    renderPresets(await listPresets(settings, asker), { channelId: asker.channelId, page });
  registerSavePreset(app, deps, render);

  onPreset(presetIds.share, async (click, preset) => {
    const { channelId } = click.asker;
    const { name, scope, config } = preset;
    const subject = { channelId, page: click.page, preset: { name, scope } };
    await showModal(click, renderSaveDialog(subject, describeConfig(config)));
  });

  onPreset(presetIds.remove, async (click, preset) => {
    const denial = await rights.denyPreset(click.asker, preset);
    if (denial) return answerPrivately(click, { text: denial });
    await removePreset(settings, click.asker, preset);
    await refresh(click);
  });

  for (const [actionId, by] of [
    [presetIds.previous, -1],
    [presetIds.next, 1],
  ] as const)
    onList(actionId, (click) => refresh(click, click.page + by));

  function onPreset(
    actionId: string,
    act: (click: PresetClick, preset: Preset) => Promise<void>,
  ): void {
    onList(actionId, async (click) => {
      const preset = await findPreset(settings, click.asker, readPresetButton(click.value));
      // Act only if the preset still exists. If someone deleted it, only show the current list.
      if (preset) await act(click, preset);
      else await refresh(click);
    });
  }

  function onList(actionId: string, act: (click: PresetClick) => Promise<void>): void {
    onClick(app, actionId, async (click) => {
      const { view } = click.body;
      if (!view) return;
      const { channelId, page } = readPresetsPosition(view);
      await act({ ...click, asker: { ...click.viewer, channelId }, viewId: view.id, page });
    });
  }

  async function refresh({ asker, viewId, client, page }: PresetClick, to = page): Promise<void> {
    await updateOpenModal(client, viewId, await render(asker, to));
  }

  return forMembers(promptRights, async (client, { triggerId, asker }) => {
    await client.views.open({ trigger_id: triggerId, view: await render(asker) });
  });
}

/**
 * Registers *Save as preset* in a run's details, and the dialog that asks for a preset's name. Other people use a channel
 * preset in commands, so only its maker and admins can replace or delete it.
 */
function registerSavePreset(
  app: Listeners,
  { settings, access, promptRights, connections, ackWaitMs }: Deps,
  render: (asker: Asker, page?: number) => Promise<ModalView>,
): void {
  onOpeningClick(app, savePresetAction, async (click) => {
    const { viewer, value } = click;
    const found = await access.seeRequest(viewer, value);
    if ('sentence' in found) return answerPrivately(click, { text: found.sentence });
    const { request } = found;
    const subject = { channelId: request.channelId, requestId: request.id };
    const asker = { ...viewer, channelId: request.channelId };
    const { config } = await takeOver(settings, asker, request);
    await showModal(click, renderSaveDialog(subject, describeConfig(config)));
  });

  app.view(saveDialogId, async ({ ack, body, view, client, context }) => {
    const { subject, name, scope, replaces } = readDialog(view);
    const asker = askerOf(context, body.user.id, subject);
    const config = await configOf(asker, subject);
    const preset = { name: name ?? '', scope };
    async function findError(): Promise<string | undefined> {
      if (!config) return gone;
      // Check both in parallel, because Slack waits only three seconds.
      const [presetError, environmentError] = await Promise.all([
        findPresetError({ settings, promptRights }, asker, { ...preset, replaces, config }),
        findEnvironmentError({ connections, ackWaitMs }, asker, config),
      ]);
      return presetError ?? environmentError;
    }
    const error = name ? await findError() : noName;
    if (error || !config)
      return ack({ response_action: 'errors', errors: { save_as: error ?? gone } });
    await savePreset({ settings }, asker, { ...preset, config });
    if (subject.requestId) return ack({ response_action: 'update', view: renderSaved(preset) });
    await ack();
    await refresh(client, view, asker, subject.page);
  });

  async function configOf(asker: Asker, { requestId, preset }: DialogSubject) {
    if (requestId) {
      // Use the dialog's conversation, because the request's visibility was checked with it on opening.
      const viewer = { ...asker, conversationId: asker.channelId };
      const found = await access.seeRequest(viewer, requestId);
      return 'request' in found
        ? (await takeOver(settings, asker, found.request)).config
        : undefined;
    }
    return preset && (await findPreset(settings, asker, preset))?.config;
  }

  /** Updates the list below the dialog. Does nothing if the list was closed. */
  async function refresh(client: WebClient, view: ViewOutput, asker: Asker, page?: number) {
    const { previous_view_id: listId } = view;
    if (listId) await updateOpenModal(client, listId, await render(asker, page));
  }
}

const askerOf = (
  { teamId = '' }: Pick<Context, 'teamId'>,
  userId: string,
  { channelId }: DialogSubject,
): Asker => ({ teamId, userId, channelId });

const noName = 'Enter a name.';
const gone = 'This preset or run no longer exists.';
