import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Settings } from '../../store/settings.ts';
import { findPreset, listPresets, removePreset, savePreset } from '../presets.ts';
import type { Asker } from '../run-defaults.ts';
import type { OpenModal } from '../run-start.ts';
import { tell } from '../tell.ts';
import {
  presetIds,
  readPresetButton,
  readPresetsPlace,
  renderPresets,
  renderPresetsYaml,
} from './presets-view.ts';

type PresetsParts = { settings: Settings };

type Click = { asker: Asker; view: { id: string; hash: string }; client: WebClient };

/** `/agent presets`: what there is, sharing, deleting, and all of it as YAML. */
export function registerPresets(app: App, { settings }: PresetsParts): OpenModal {
  on(presetIds.share, async (click, _, value) => {
    const { name } = readPresetButton(value);
    const preset = await findPreset(settings, click.asker, name);
    if (preset) await savePreset(settings, click.asker, { ...preset, scope: 'channel' });
    await refresh(click);
  });

  on(presetIds.remove, async (click, body, value) => {
    const preset = readPresetButton(value);
    if (preset.scope === 'workspace' && !(await isAdmin(click))) {
      await tell({ body, client: click.client }, { text: 'Only admins may delete it.' });
      return;
    }
    await removePreset(settings, click.asker, preset);
    await refresh(click);
  });

  on(presetIds.yaml, async ({ asker, client }, body) => {
    const view = renderPresetsYaml(await listPresets(settings, asker));
    await client.views.push({ trigger_id: body.trigger_id, view });
  });

  function on(
    actionId: string,
    act: (click: Click, body: BlockAction, value: string | undefined) => Promise<void>,
  ): void {
    const filter = { type: 'block_actions', action_id: actionId } as const;
    app.action<BlockAction<ButtonAction>>(filter, async ({ ack, action, body, client }) => {
      await ack();
      if (!body.view) return;
      const channelId = readPresetsPlace(body.view);
      const asker = { teamId: body.team?.id ?? '', userId: body.user.id, channelId };
      await act({ asker, view: body.view, client }, body, action.value);
    });
  }

  async function refresh({ asker, view: { id, hash }, client }: Click): Promise<void> {
    const view = renderPresets(await listPresets(settings, asker), asker.channelId);
    await client.views.update({ view_id: id, hash, view });
  }

  return async (client, { triggerId, asker }) => {
    const view = renderPresets(await listPresets(settings, asker), asker.channelId);
    await client.views.open({ trigger_id: triggerId, view });
  };
}

async function isAdmin({ asker, client }: Click): Promise<boolean> {
  const { user } = await client.users.info({ user: asker.userId });
  return Boolean(user?.is_admin || user?.is_owner);
}
