import type { BlockAction, ButtonAction } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Requests } from '../../store/requests.ts';
import type { Settings } from '../../store/settings.ts';
import { findPreset, listPresets, type Preset, removePreset } from '../configuration/presets.ts';
import type { RunCatalog } from '../configuration/run-catalog.ts';
import { type Asker, describeConfig } from '../configuration/run-defaults.ts';
import type { Listeners } from '../connection/listeners.ts';
import type { Rights } from '../people/rights.ts';
import { tell } from '../posting/answer-privately.ts';
import type { OpenModal } from '../runs/run-start.ts';
import { renderRenameDialog, renderSaveDialog } from './preset-dialogs.ts';
import {
  presetIds,
  readPresetButton,
  readPresetsPlace,
  renderPresets,
  renderPresetsYaml,
} from './presets-view.ts';
import { registerKeeping } from './register-keeping.ts';

type PresetsParts = {
  settings: Settings;
  requests: Pick<Requests, 'find'>;
  rights: Pick<Rights, 'refusePreset'>;
  catalog: RunCatalog;
};

type Click = {
  asker: Asker;
  view: { id: string; hash: string };
  body: BlockAction;
  client: WebClient;
};

/** `/agent presets`: what there is; renaming, sharing, deleting, and all of it as YAML. */
export function registerPresets(app: Listeners, parts: PresetsParts): OpenModal {
  const { settings } = parts;
  const render = async (asker: Asker) =>
    renderPresets(await listPresets(settings, asker), asker.channelId);
  registerKeeping(app, { ...parts, render });

  onPreset(presetIds.share, async ({ asker: { channelId }, body, client }, preset) => {
    const { name, scope, config } = preset;
    const subject = { channelId, preset: { name, scope } };
    const view = renderSaveDialog(subject, describeConfig(config));
    await client.views.push({ trigger_id: body.trigger_id, view });
  });

  onPreset(presetIds.rename, async (click, { name, scope, makerId }) => {
    const { asker, body, client } = click;
    const refusal = await parts.rights.refusePreset(asker, { scope, makerId });
    if (refusal) return tell(click, { text: refusal });
    const view = renderRenameDialog({ channelId: asker.channelId, preset: { name, scope } });
    await client.views.push({ trigger_id: body.trigger_id, view });
  });

  onPreset(presetIds.remove, async (click, preset) => {
    const refusal = await parts.rights.refusePreset(click.asker, preset);
    if (refusal) return tell(click, { text: refusal });
    await removePreset(settings, click.asker, preset);
    await refresh(click);
  });

  on(presetIds.yaml, async ({ asker, client, body }) => {
    const view = renderPresetsYaml(await listPresets(settings, asker));
    await client.views.push({ trigger_id: body.trigger_id, view });
  });

  function onPreset(actionId: string, act: (click: Click, preset: Preset) => Promise<void>): void {
    on(actionId, async (click, value) => {
      const preset = await findPreset(settings, click.asker, readPresetButton(value));
      // Somebody has deleted or renamed it: the list shows what there is now.
      if (preset) await act(click, preset);
      else await refresh(click);
    });
  }

  function on(
    actionId: string,
    act: (click: Click, value: string | undefined) => Promise<void>,
  ): void {
    const filter = { type: 'block_actions', action_id: actionId } as const;
    app.action<BlockAction<ButtonAction>>(filter, async ({ ack, action, body, client }) => {
      await ack();
      if (!body.view) return;
      const channelId = readPresetsPlace(body.view);
      const asker = { teamId: body.team?.id ?? '', userId: body.user.id, channelId };
      await act({ asker, view: body.view, body, client }, action.value);
    });
  }

  async function refresh({ asker, view: { id }, client }: Click): Promise<void> {
    await client.views.update({ view_id: id, view: await render(asker) });
  }

  return async (client, { triggerId, asker }) => {
    await client.views.open({ trigger_id: triggerId, view: await render(asker) });
  };
}
