import { nextAtHour } from 'base/time/local-time';
import type { Audit } from '../../store/audit/audit.ts';
import type { Digests } from '../../store/outbox/digests.ts';
import type { Scope, Settings } from '../../store/people/settings.ts';
import {
  notificationPreferences,
  plainRepliesSetting,
  startsAtOnce,
} from '../configuration/preferences.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import {
  defaultEnvironmentOf,
  layersBelow,
  readDefaultLayers,
  runDefaults,
} from '../configuration/run-defaults.ts';
import type { People } from '../people/people.ts';
import { type Asker, ownerOf } from '../people/setting.ts';
import {
  type SettingsContent,
  type SettingsForm,
  type SettingsValues,
  versionOf,
} from './settings-view.ts';

export type StoredSettings = ReturnType<typeof createStoredSettings>;

/** Creates the functions that read and write the values of the settings forms. */
export function createStoredSettings(deps: {
  settings: Pick<Settings, 'read' | 'readLayers' | 'change'>;
  digests: Digests;
  audit: Pick<Audit, 'note'>;
  people: Pick<People, 'find'>;
  connections: Pick<RunConnections, 'names'>;
}) {
  const { settings, digests, audit, people, connections } = deps;

  async function read({ scope, page }: SettingsForm, asker: Asker): Promise<SettingsContent> {
    const { channelId } = asker;
    if (page === 'notifications') {
      const { digestZone, ...values } = await readNotifications(scope, asker);
      return { scope, channelId, ...values, seen: versionOf(values), digestZone };
    }
    const [values, layers, names] = await Promise.all([
      readDefaults(scope, asker),
      readDefaultLayers(settings, asker),
      connections.names(),
    ]);
    const defaultEnvironment = defaultEnvironmentOf(layersBelow(scope, layers));
    return {
      scope,
      channelId,
      ...values,
      seen: versionOf(values),
      connections: names,
      defaultEnvironment,
    };
  }

  async function readNotifications(scope: Scope, asker: Asker) {
    const owner = ownerOf(scope, asker);
    const digest = scope === 'channel' ? await digests.read(asker) : undefined;
    return {
      page: 'notifications' as const,
      preferences: await notificationPreferences.read(settings, owner),
      sendsPlainReplies: scope === 'channel' && (await plainRepliesSetting.read(settings, owner)),
      digestHour: digest?.hour,
      digestZone: digest?.timeZone,
    };
  }

  async function readDefaults(scope: Scope, asker: Asker) {
    const owner = ownerOf(scope, asker);
    return {
      page: 'defaults' as const,
      config: await runDefaults.read(settings, owner),
      startsAtOnce: await startsAtOnce.read(settings, owner),
    };
  }

  async function write(
    { scope }: SettingsForm,
    asker: Asker,
    values: SettingsValues,
  ): Promise<void> {
    const owner = ownerOf(scope, asker);
    const by = asker.userId;
    if (values.page === 'defaults') {
      await runDefaults.change(settings, owner, by, () => values.config);
      if (scope === 'person')
        await startsAtOnce.change(settings, owner, by, () => values.startsAtOnce === true);
      return;
    }
    await notificationPreferences.change(settings, owner, by, () => values.preferences);
    if (scope !== 'channel') return;
    const { sendsPlainReplies, digestHour } = values;
    await plainRepliesSetting.change(settings, owner, by, () => sendsPlainReplies === true);
    await setDigest(asker, digestHour);
  }

  async function setDigest(asker: Asker, hour: number | undefined): Promise<void> {
    if (hour === (await digests.read(asker))?.hour) return;
    const { teamId, channelId, userId } = asker;
    const entity = { type: 'setting', id: `channel/${channelId}/runs.digest` };
    await audit.note({ teamId, channelId, actorId: userId, action: 'setting_changed', entity });
    if (hour === undefined) return digests.remove(asker);
    // Read the time zone from the cache, because the permission check has just looked up this person.
    const { timeZone } = await people.find(userId);
    const now = Date.now();
    const nextAt = nextAtHour(now, hour, timeZone);
    return digests.set(asker, { hour, timeZone }, { now, nextAt });
  }

  return { read, write };
}
