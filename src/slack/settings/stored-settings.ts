import { nextAtHour } from 'base/time/local-time';
import type { Audit } from '../../store/audit/audit.ts';
import type { Digests } from '../../store/outbox/digests.ts';
import type { Scope, Settings } from '../../store/people/settings.ts';
import {
  notificationPreferences,
  repliesCount,
  startsAtOnce,
} from '../configuration/preferences.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import { runDefaults } from '../configuration/run-defaults.ts';
import type { People } from '../people/people.ts';
import type { Policies } from '../people/policies.ts';
import { type Asker, ownerOf } from '../people/setting.ts';
import { type SettingsContent, type SettingsValues, versionOf } from './settings-view.ts';

export type StoredSettings = ReturnType<typeof createStoredSettings>;

/** The settings of a person, a channel or the workspace, as the form shows them. */
export function createStoredSettings(deps: {
  settings: Pick<Settings, 'read' | 'change'>;
  digests: Digests;
  audit: Pick<Audit, 'note'>;
  policies: Pick<Policies, 'read'>;
  people: Pick<People, 'find'>;
  connections: Pick<RunConnections, 'names'>;
}) {
  const { settings, digests, audit, policies, people, connections } = deps;
  async function read(scope: Scope, asker: Asker): Promise<SettingsContent> {
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

  async function write(scope: Scope, asker: Asker, values: SettingsValues): Promise<void> {
    const owner = ownerOf(scope, asker);
    const by = asker.userId;
    await runDefaults.change(settings, owner, by, () => values.config);
    await notificationPreferences.change(settings, owner, by, () => values.preferences);
    switch (scope) {
      case 'person':
        return startsAtOnce.change(settings, owner, by, () => values.startsAtOnce === true);
      case 'workspace':
        return;
      case 'channel':
        await repliesCount.change(settings, owner, by, () => values.repliesCount === true);
        return setDigest(asker, values.digestHour);
    }
  }

  async function setDigest(asker: Asker, hour: number | undefined): Promise<void> {
    if (hour === (await digests.read(asker))?.hour) return;
    const { teamId, channelId, userId } = asker;
    const entity = { type: 'setting', id: `channel/${channelId}/runs.digest` };
    await audit.note({ teamId, channelId, actorId: userId, action: 'setting_changed', entity });
    if (hour === undefined) return digests.remove(asker);
    // Cached, because the right to change this has just been checked.
    const { timeZone } = await people.find(userId);
    const now = Date.now();
    const nextAt = nextAtHour(now, hour, timeZone);
    return digests.set(asker, { hour, timeZone }, { now, nextAt });
  }

  return { read, write };
}
