import type { BlockAction, ButtonAction } from '@slack/bolt';
import type { Settings } from '../../store/people/settings.ts';
import { findPreset, listPresets, type Preset, removePreset } from '../configuration/presets.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import { type Asker, describeConfig } from '../configuration/run-defaults.ts';
import { acknowledgeAfter } from '../connection/acknowledge-in-time.ts';
import type { Listeners } from '../connection/listeners.ts';
import type { Rights } from '../people/rights.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import type { Click } from '../runs/click.ts';
import { forMembers, type OpenModal } from '../runs/open-modal.ts';
import type { RunDoor } from '../runs/run-door.ts';
import { renderSaveDialog } from './preset-dialogs.ts';
import { presetIds, readPresetButton, readPresetsPlace, renderPresets } from './presets-view.ts';
import { registerSavePreset } from './register-save-preset.ts';

type PresetsParts = {
  settings: Settings;
  door: Pick<RunDoor, 'seeRequest'>;
  rights: Pick<Rights, 'refusePreset' | 'refuseOpen'>;
  connections: Pick<RunConnections, 'catalogFor'>;
};

type PresetClick = Click & { asker: Asker; viewId: string };

/** `/agent presets`: the list, with sharing and deleting. */
export function registerPresets(app: Listeners, parts: PresetsParts): OpenModal {
  const { settings } = parts;
  const render = async (asker: Asker) =>
    renderPresets(await listPresets(settings, asker), asker.channelId);
  registerSavePreset(app, { ...parts, render });

  onPreset(presetIds.share, async ({ asker: { channelId }, body, client }, preset) => {
    const { name, scope, config } = preset;
    const subject = { channelId, preset: { name, scope } };
    const view = renderSaveDialog(subject, describeConfig(config));
    await client.views.push({ trigger_id: body.trigger_id, view });
  });

  onPreset(presetIds.remove, async (click, preset) => {
    const refusal = await parts.rights.refusePreset(click.asker, preset);
    if (refusal) return answerPrivately(click, { text: refusal });
    await removePreset(settings, click.asker, preset);
    await refresh(click);
  });

  function onPreset(
    actionId: string,
    act: (click: PresetClick, preset: Preset) => Promise<void>,
  ): void {
    const filter = { type: 'block_actions', action_id: actionId } as const;
    app.action<BlockAction<ButtonAction>>(
      filter,
      async ({ ack, context, action, body, client }) => {
        const { view } = body;
        if (!view) return await ack();
        const channelId = readPresetsPlace(view);
        const asker = { teamId: context.teamId ?? '', userId: body.user.id, channelId };
        const click = { asker, viewId: view.id, body, client };
        await acknowledgeAfter({ ack, context }, async () => {
          const preset = await findPreset(settings, asker, readPresetButton(action.value));
          // Deleted in the meantime: show what there is now.
          if (preset) await act(click, preset);
          else await refresh(click);
        });
      },
    );
  }

  async function refresh({ asker, viewId, client }: PresetClick): Promise<void> {
    await client.views.update({ view_id: viewId, view: await render(asker) });
  }

  return forMembers(parts.rights, async (client, { triggerId, asker }) => {
    await client.views.open({ trigger_id: triggerId, view: await render(asker) });
  });
}
