/** Answers searches in the pickers of forms that configure runs. */
import type { AgentConfig } from 'runs-client/contract';
import { allowsId, isForPlaces, type PolicyCase, rulingOn } from '../../policy/ruling.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { Requests } from '../../store/requests/requests.ts';
import { searchForMembers } from '../people/members-only.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import type { SearchAnswer } from '../text/form-inputs.ts';
import { readSearchedField, searchConfig } from './config-search.ts';
import { listPresets, searchPresets } from './presets.ts';
import { connectionNameOf, type RunConnections } from './run-connections.ts';

export type FormSearchDeps = {
  connections: RunConnections;
  requests: Requests;
  settings: Settings;
  promptRights: Rights;
};

/**
 * Offers environments, models, skills or presets that the rules allow in the channel.
 * @param asker its channel is the one in which recent values are searched, and whose presets are offered
 * @param channelId channel that the form is for
 */
export function searchForm(
  { connections, requests, settings, promptRights }: FormSearchDeps,
  asker: Asker & { connection?: string | undefined },
  { actionId, query, channelId }: { actionId: string; query: string; channelId: string },
): Promise<SearchAnswer> {
  const field = readSearchedField(actionId);
  return searchForMembers(promptRights, asker, async () => {
    const policy = await promptRights.policyFor({ ...asker, channelId });
    if (field) return searchConfig({ connections, requests }, asker, field, query, policy);
    const presets = await listPresets(settings, asker);
    return searchPresets(
      presets.filter(({ config }) => isAllowed(policy, config)),
      query,
    );
  });
}

/**
 * Returns true if the policy allows the preset's environment, model and connection. Other fields are checked when the
 * run starts.
 */
const isAllowed = (policy: PolicyCase, config: AgentConfig) => {
  const { environment_id: id, model_id: model } = config;
  const connection = connectionNameOf(config);
  return (
    (id === undefined || allowsId(policy, 'environments', id)) &&
    (model === undefined || allowsId(policy, 'models', model)) &&
    (connection === undefined || allowsId(policy, 'connections', connection))
  );
};

/**
 * Returns the connections that a form offers. Offers all if a rule applies only in some channels, because the person can
 * still change the channel. The rules are checked when the run starts.
 */
export function offeredConnections(policy: PolicyCase, names: readonly string[]): string[] {
  const isForSomeChannels = policy.rules.some((rule) => rule.connections && isForPlaces(rule));
  const isKnown = !isForSomeChannels && !rulingOn(policy, 'connections').isUnknown;
  return names.filter((name) => !isKnown || allowsId(policy, 'connections', name));
}
