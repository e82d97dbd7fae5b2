import { nextAtHour } from 'base/time/local-time';
import type { Audit } from '../../store/audit/audit.ts';
import type { Digests } from '../../store/outbox/digests.ts';
import { type Scope, type Settings, scopeSchema } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import {
  type ConfigSearchParts,
  readSearchedField,
  searchConfig,
} from '../configuration/config-search.ts';
import {
  notificationPreferences,
  repliesCount,
  startsAtOnce,
} from '../configuration/preferences.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import { findEnvironmentError } from '../configuration/run-connections.ts';
import { runDefaults } from '../configuration/run-defaults.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { forMembers, type OpenModal, searchForMembers } from '../people/members-only.ts';
import type { People } from '../people/people.ts';
import type { Policies } from '../people/policies.ts';
import type { Rights } from '../people/rights.ts';
import { type Asker, ownerOf } from '../people/setting.ts';
import { type Click, onOpeningClick } from '../runs/acting/click.ts';
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
  versionOf,
} from './settings-view.ts';

type SettingsParts = ConfigSearchParts & {
  connections: Pick<RunConnections, 'names'>;
  settings: Pick<Settings, 'read' | 'change'>;
  audit: Pick<Audit, 'note'>;
  digests: Pick<Digests, 'read' | 'set' | 'remove'>;
  people: Pick<People, 'find'>;
  policies: Pick<Policies, 'read'>;
  /** On top of the settings. */
  openPolicy(click: Click & { viewer: RunViewer }): Promise<void>;
  rights: Pick<Rights, 'refuseSettings'>;
  promptRights: Pick<Rights, 'refuseSettings' | 'refuseOpen'>;
  ackWaitMs: number;
};

/** Settings of a person, a channel and the workspace. */
export function registerSettings(app: Listeners, parts: SettingsParts): OpenModal {
  onOpeningClick(
    app,
    new RegExp(`^${settingsIds.scope}:`),
    async ({ action, body, client, viewer }) => {
      const scope = scopeSchema.safeParse(action.action_id.split(':').at(-1));
      if (!body.view || !scope.success) return;
      const asker = { ...viewer, channelId: readSettingsPlace(body.view).channelId };
      // Refused before people type, not when they save.
      const [content, refusal] = await Promise.all([
        read(parts, scope.data, asker),
        parts.rights.refuseSettings(asker, scope.data),
      ]);
      const view = refusal ? renderSettingsToRead(content, refusal) : renderSettings(content);
      await client.views.update({ view_id: body.view.id, hash: body.view.hash, view });
    },
  );

  app.options(new RegExp(`^${settingsPicker}`), async ({ ack, options, body, context }) => {
    const view = 'view' in body ? body.view : undefined;
    const channelId = view ? readSettingsPlace(view).channelId : '';
    const asker = { teamId: context.teamId ?? '', userId: body.user.id, channelId };
    const field = readSearchedField(options.action_id);
    if (!field) return ack({ options: [] });
    const search = () => searchConfig(parts, asker, field, options.value);
    await ack(await searchForMembers(parts.promptRights, asker, search));
  });

  onOpeningClick(app, settingsIds.policy, (click) => parts.openPolicy(click));

  app.view(settingsIds.view, async ({ ack, body, view, context }) => {
    const { scope, channelId, seen } = readSettingsPlace(view);
    const asker = { teamId: context.teamId ?? '', channelId, userId: body.user.id };
    const block = blockOf(scope);
    const now = await read(parts, scope, asker);
    const { values, errors } = readSettings(scope, view, now.config);
    const isWrong = Object.keys(errors).length > 0;
    const [unlisted, refusal] = await Promise.all([
      findEnvironmentError(parts, asker, values.config),
      // A wrong field is shown also while Slack doesn't say who this is.
      isWrong ? undefined : parts.promptRights.refuseSettings(asker, scope),
    ]);
    const wrong = {
      ...errors,
      ...(unlisted && { [block('environment_id')]: unlisted }),
      ...(refusal && { [block('reply')]: refusal }),
    };
    if (Object.keys(wrong).length > 0) {
      await ack({ response_action: 'errors', errors: wrong });
      return;
    }
    // A repeated submission finds its own values.
    const isChanged = ![seen, versionOf(values)].includes(now.seen);
    if (scope !== 'person' && seen !== undefined && isChanged) {
      const again = renderSettings({ ...now, ...values }, now.config);
      await ack({ response_action: 'update', view: again });
      return;
    }
    await write(parts, scope, asker, values);
    await ack();
  });

  return forMembers(parts.promptRights, async (client, { triggerId, asker }) => {
    const view = renderSettings(await read(parts, 'person', asker));
    await client.views.open({ trigger_id: triggerId, view });
  });
}

async function read(
  { settings, digests, policies, connections }: SettingsParts,
  scope: Scope,
  asker: Asker,
): Promise<SettingsContent> {
  const { teamId, channelId } = asker;
  const owner = ownerOf(scope, asker);
  const digest = scope === 'channel' ? await digests.read({ teamId, channelId }) : undefined;
  const policy = scope === 'workspace' ? await policies.read(teamId) : undefined;
  const values = {
    config: await runDefaults.read(settings, owner),
    preferences: await notificationPreferences.read(settings, owner),
    startsAtOnce: await startsAtOnce.read(settings, owner),
    repliesCount: scope === 'channel' && (await repliesCount.read(settings, owner)),
    digestHour: digest?.hour,
  };
  return {
    scope,
    channelId,
    ...values,
    seen: versionOf(values),
    policy: policy && { ruleCount: policy.rules.length, isFromFile: policy.isFromFile },
    connections: await connections.names(),
    digestZone: digest?.timeZone,
  };
}

async function write(
  { settings, digests, people, audit }: SettingsParts,
  scope: Scope,
  asker: Asker,
  values: SettingsValues,
): Promise<void> {
  const owner = ownerOf(scope, asker);
  const by = asker.userId;
  await runDefaults.change(settings, owner, by, () => values.config);
  await notificationPreferences.change(settings, owner, by, () => values.preferences);
  switch (scope) {
    case 'person':
      return startsAtOnce.change(settings, owner, by, () => values.startsAtOnce === true);
    case 'workspace':
      return;
    case 'channel': {
      await repliesCount.change(settings, owner, by, () => values.repliesCount === true);
      const { digestHour: hour } = values;
      if (hour === (await digests.read(asker))?.hour) return;
      const { teamId, channelId } = asker;
      const entity = { type: 'setting', id: `channel/${channelId}/runs.digest` };
      await audit.note({ teamId, channelId, actorId: by, action: 'setting_changed', entity });
      if (hour === undefined) return digests.remove(asker);
      // Known already: their right to change this has just been checked.
      const { timeZone } = await people.find(asker.userId);
      const now = Date.now();
      const nextAt = nextAtHour(now, hour, timeZone);
      return digests.set(asker, { hour, timeZone }, { now, nextAt });
    }
  }
}
