import type { Settings } from '../../store/people/settings.ts';
import { findPreset, listPresets, type Preset, removePreset } from '../configuration/presets.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import { describeConfig } from '../configuration/run-defaults.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { forMembers, type OpenModal } from '../people/members-only.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { showModal, updateOpenModal } from '../posting/modals.ts';
import { type Clicked, onClick } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { renderSaveDialog } from './preset-dialogs.ts';
import { presetIds, readPresetButton, readPresetsPlace, renderPresets } from './presets-view.ts';
import { registerSavePreset } from './register-save-preset.ts';

type PresetsParts = {
  settings: Settings;
  access: Pick<RunAccess, 'seeRequest'>;
  rights: Pick<Rights, 'refusePreset'>;
  promptRights: Pick<Rights, 'refusePreset' | 'refuseOpen'>;
  connections: Pick<RunConnections, 'catalogFor'>;
  ackWaitMs: number;
};

type PresetClick = Clicked & { asker: Asker; viewId: string; page: number };

/** `/agent presets`: the list, with sharing and deleting. */
export function registerPresets(app: Listeners, parts: PresetsParts): OpenModal {
  const { settings } = parts;
  const render = async (asker: Asker, page = 0) =>
    renderPresets(await listPresets(settings, asker), { channelId: asker.channelId, page });
  registerSavePreset(app, { ...parts, render });

  onPreset(presetIds.share, async (click, preset) => {
    const { channelId } = click.asker;
    const { name, scope, config } = preset;
    const subject = { channelId, page: click.page, preset: { name, scope } };
    await showModal(click, renderSaveDialog(subject, describeConfig(config)));
  });

  onPreset(presetIds.remove, async (click, preset) => {
    const refusal = await parts.rights.refusePreset(click.asker, preset);
    if (refusal) return answerPrivately(click, { text: refusal });
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
      // Deleted in the meantime: show what there is now.
      if (preset) await act(click, preset);
      else await refresh(click);
    });
  }

  function onList(actionId: string, act: (click: PresetClick) => Promise<void>): void {
    onClick(app, actionId, async (click) => {
      const { view } = click.body;
      if (!view) return;
      const { channelId, page } = readPresetsPlace(view);
      await act({ ...click, asker: { ...click.viewer, channelId }, viewId: view.id, page });
    });
  }

  async function refresh({ asker, viewId, client, page }: PresetClick, to = page): Promise<void> {
    await updateOpenModal(client, viewId, await render(asker, to));
  }

  return forMembers(parts.promptRights, async (client, { triggerId, asker }) => {
    await client.views.open({ trigger_id: triggerId, view: await render(asker) });
  });
}
