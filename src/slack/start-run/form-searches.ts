import type { App } from '@slack/bolt';
import type { Settings } from '../../store/settings.ts';
import { type ConfigSearchParts, searchConfig } from '../config-search.ts';
import { answerSearch } from '../form-inputs.ts';
import { listPresets } from '../presets.ts';
import type { Asker } from '../run-defaults.ts';
import { formIds, readFormMetadata } from './start-run-form.ts';

type SearchParts = ConfigSearchParts & { settings: Pick<Settings, 'list'> };

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
  switch (actionId) {
    case formIds.preset: {
      const presets = await listPresets(parts.settings, asker);
      const all = presets.map(({ name }) => ({ id: name }));
      return answerSearch(query, { noun: 'presets', recent: [], all, byHand: false });
    }
    case formIds.environment:
      return searchConfig(parts, asker, 'environment', query);
    case formIds.skill:
      return searchConfig(parts, asker, 'skill', query);
    default:
      return searchConfig(parts, asker, 'model', query);
  }
}
