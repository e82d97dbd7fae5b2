import type { App } from '@slack/bolt';
import type { RequestLookup } from '../../store/request-lookup.ts';
import type { Settings } from '../../store/settings.ts';
import { answerSearch } from '../form-inputs.ts';
import { listPresets } from '../presets.ts';
import type { RunCatalog } from '../run-catalog.ts';
import type { Asker } from '../run-defaults.ts';
import { formIds, readFormMetadata } from './start-run-form.ts';

type SearchParts = {
  catalog: RunCatalog;
  lookup: Pick<RequestLookup, 'recentConfigs'>;
  settings: Pick<Settings, 'list'>;
};

/** What the form's pickers offer while a person types. */
export function registerFormSearches(app: App, parts: SearchParts): void {
  app.options(/^start-run:(environment|model|skill|preset)$/, async ({ ack, options, body }) => {
    const view = 'view' in body ? body.view : undefined;
    const asker = {
      teamId: body.team?.id ?? '',
      userId: body.user.id,
      channelId: view ? readFormMetadata(view).channelId : '',
    };
    await ack(await search(parts, asker, options.action_id, options.value));
  });
}

async function search(parts: SearchParts, asker: Asker, actionId: string, query: string) {
  const { catalog, lookup, settings } = parts;
  if (actionId === formIds.preset) {
    const presets = await listPresets(settings, asker);
    const all = presets.map(({ name }) => ({ id: name }));
    return answerSearch(query, { noun: 'presets', recent: [], all, byHand: false });
  }
  const recent = await lookup.recentConfigs(asker.teamId, asker.channelId);
  const used = (field: 'environment_id' | 'model_id' | 'skill_spec') =>
    recent.flatMap((config) => config[field] ?? []);
  switch (actionId) {
    case formIds.environment: {
      const all = await catalog.environments();
      return answerSearch(query, { noun: 'environments', recent: used('environment_id'), all });
    }
    case formIds.skill: {
      const all = await catalog.skills();
      return answerSearch(query, { noun: 'skills', recent: used('skill_spec'), all });
    }
    default:
      // No service lists its models.
      return answerSearch(query, { noun: 'models', recent: used('model_id'), all: [] });
  }
}
