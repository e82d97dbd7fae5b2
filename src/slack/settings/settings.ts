import type { BlockAction, ButtonAction } from '@slack/bolt';
import { nextAtHour } from '../../lib/local-time.ts';
import type { Digests } from '../../store/digests.ts';
import type { Settings } from '../../store/settings.ts';
import {
  type ConfigSearchParts,
  readSearchedField,
  searchConfig,
} from '../configuration/config-search.ts';
import { readPreferences, writePreferences } from '../configuration/notification-preferences.ts';
import { whyNoEnvironment } from '../configuration/run-catalog.ts';
import {
  type Asker,
  readDefaults,
  readStartsAtOnce,
  type Scope,
  scopeSchema,
  writeDefaults,
  writeStartsAtOnce,
} from '../configuration/run-defaults.ts';
import type { Listeners } from '../connection/listeners.ts';
import { readMayCancel, writeMayCancel } from '../people/why-not-change.ts';
import type { OpenModal } from '../runs/run-start.ts';
import { settingsPicker } from './config-fields.ts';
import {
  blockOf,
  readSettings,
  readSettingsPlace,
  renderSettings,
  renderSettingsToRead,
  type SettingsContent,
  type SettingsValues,
  settingsIds,
} from './settings-view.ts';
import { mayEdit, mayEditInTime } from './who-may-edit.ts';

type SettingsParts = ConfigSearchParts & {
  settings: Pick<Settings, 'read' | 'write'>;
  digests: Pick<Digests, 'read' | 'set' | 'remove'>;
};

/** Settings of a person, a channel and the workspace. */
export function registerSettings(app: Listeners, parts: SettingsParts): OpenModal {
  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: new RegExp(`^${settingsIds.scope}:`) },
    async ({ ack, action, body, client }) => {
      await ack();
      const scope = scopeSchema.safeParse(action.action_id.split(':').at(-1));
      if (!body.view || !scope.success) return;
      const { channelId } = readSettingsPlace(body.view);
      const asker = { teamId: body.team?.id ?? '', channelId, userId: body.user.id };
      // Whoever may not change them is told before they type, not when they save.
      const [content, allowed] = await Promise.all([
        read(parts, scope.data, asker),
        mayEdit(client, scope.data, asker),
      ]);
      const view = allowed.ok
        ? renderSettings(content)
        : renderSettingsToRead(content, allowed.refusal);
      await client.views.update({ view_id: body.view.id, hash: body.view.hash, view });
    },
  );

  app.options(new RegExp(`^${settingsPicker}`), async ({ ack, options, body }) => {
    const view = 'view' in body ? body.view : undefined;
    const channelId = view ? readSettingsPlace(view).channelId : '';
    const asker = { teamId: body.team?.id ?? '', userId: body.user.id, channelId };
    const field = readSearchedField(options.action_id);
    await ack(field ? await searchConfig(parts, asker, field, options.value) : { options: [] });
  });

  app.view(settingsIds.view, async ({ ack, body, view, client }) => {
    const { scope, channelId } = readSettingsPlace(view);
    const asker = { teamId: body.team?.id ?? '', channelId, userId: body.user.id };
    const block = blockOf(scope);
    const saved = await readDefaults(parts.settings, scope, asker);
    const { values, errors } = readSettings(scope, view, saved);
    const isWrong = Object.keys(errors).length > 0;
    const [unlisted, allowed] = await Promise.all([
      whyNoEnvironment(parts.catalog, values.config.environment_id),
      // A wrong field is shown also while Slack doesn't say who this is.
      isWrong ? undefined : mayEditInTime(client, scope, asker),
    ]);
    const wrong = {
      ...errors,
      ...(unlisted && { [block('environment_id')]: unlisted }),
      ...(allowed?.ok === false && { [block('reply')]: allowed.refusal }),
    };
    if (!allowed?.ok || Object.keys(wrong).length > 0) {
      await ack({ response_action: 'errors', errors: wrong });
      return;
    }
    await write(parts, scope, asker, { ...values, timeZone: allowed.timeZone });
    await ack();
  });

  return async (client, { triggerId, asker }) => {
    const view = renderSettings(await read(parts, 'person', asker));
    await client.views.open({ trigger_id: triggerId, view });
  };
}

async function read(
  { settings, digests }: SettingsParts,
  scope: Scope,
  asker: Asker,
): Promise<SettingsContent> {
  const { teamId, channelId } = asker;
  const digest = scope === 'channel' ? await digests.read({ teamId, channelId }) : undefined;
  return {
    scope,
    channelId,
    config: await readDefaults(settings, scope, asker),
    preferences: await readPreferences(settings, scope, asker),
    startsAtOnce: await readStartsAtOnce(settings, asker),
    mayCancel: await readMayCancel(settings, teamId),
    digestHour: digest?.hour,
    digestZone: digest?.timeZone,
  };
}

async function write(
  { settings, digests }: SettingsParts,
  scope: Scope,
  asker: Asker,
  values: SettingsValues & { timeZone: string },
): Promise<void> {
  await writeDefaults(settings, scope, asker, values.config);
  await writePreferences(settings, scope, asker, values.preferences);
  switch (scope) {
    case 'person':
      return writeStartsAtOnce(settings, asker, values.startsAtOnce === true);
    case 'workspace':
      return writeMayCancel(settings, asker.teamId, values.mayCancel ?? 'creator and admins');
    case 'channel': {
      const { digestHour: hour, timeZone } = values;
      if (hour === undefined) return digests.remove(asker);
      const now = Date.now();
      const nextAt = nextAtHour(now, hour, timeZone);
      return digests.set(asker, { hour, timeZone }, { now, nextAt });
    }
  }
}
