import type { Settings } from '../../store/people/settings.ts';
import {
  type ConfigSearchParts,
  readSearchedField,
  searchConfig,
} from '../configuration/config-search.ts';
import { searchPresets } from '../configuration/preset-search.ts';
import { listPresets } from '../configuration/presets.ts';
import type { Listeners } from '../connection/listeners.ts';
import type { Rights } from '../people/rights.ts';
import { searchForMembers } from '../runs/open-modal.ts';
import { readFormMetadata } from './read-form.ts';

export type SearchParts = ConfigSearchParts & {
  settings: Pick<Settings, 'list'>;
  rights: Pick<Rights, 'refuseOpen'>;
};

/** The options of the form's pickers. */
export function registerFormSearches(app: Listeners, parts: SearchParts): void {
  app.options(
    /^start-run:(environment|model|skill|preset)$/,
    async ({ ack, options, body, context }) => {
      const view = 'view' in body ? body.view : undefined;
      const asker = {
        teamId: context.teamId ?? '',
        userId: body.user.id,
        channelId: view ? readFormMetadata(view).channelId : '',
      };
      const field = readSearchedField(options.action_id);
      const search = async () =>
        field
          ? await searchConfig(parts, asker, field, options.value)
          : searchPresets(await listPresets(parts.settings, asker), options.value);
      await ack(await searchForMembers(parts.rights, asker, search));
    },
  );
}
