import type { AgentConfig } from 'runs-client/contract';
import { allowsId, type PolicyCase } from '../../policy/ruling.ts';
import type { Settings } from '../../store/people/settings.ts';
import {
  type ConfigSearchParts,
  readSearchedField,
  searchConfig,
} from '../configuration/config-search.ts';
import { listPresets, searchPresets } from '../configuration/presets.ts';
import { connectionNameOf } from '../configuration/run-connections.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { searchForMembers } from '../people/members-only.ts';
import type { Rights } from '../people/rights.ts';
import { readFormValue } from '../text/form-inputs.ts';
import { readFormMetadata, readFormValues } from './read-form.ts';

export type SearchParts = ConfigSearchParts & {
  settings: Pick<Settings, 'list'>;
  promptRights: Pick<Rights, 'refuseOpen' | 'policyFor'>;
};

/** What a preset doesn't say is chosen elsewhere. */
const isAllowed = (policy: PolicyCase, config: AgentConfig) => {
  const { environment_id: id, model_id: model } = config;
  const connection = connectionNameOf(config);
  return (
    (id === undefined || allowsId(policy, 'environments', id)) &&
    (model === undefined || allowsId(policy, 'models', model)) &&
    (connection === undefined || allowsId(policy, 'connections', connection))
  );
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
        connection: view && readFormValues(view).connection,
      };
      const field = readSearchedField(options.action_id);
      const search = async () => {
        const channelId = (view && readFormValue(view.state, 'channel')) || asker.channelId;
        const policy = await parts.promptRights.policyFor({ ...asker, channelId });
        if (field) return searchConfig(parts, asker, field, options.value, policy);
        const presets = await listPresets(parts.settings, asker);
        return searchPresets(
          presets.filter(({ config }) => isAllowed(policy, config)),
          options.value,
        );
      };
      await ack(await searchForMembers(parts.promptRights, asker, search));
    },
  );
}
