/** What the pickers of environments, models and skills offer while a person types, in whichever form they stand. */
import type { AgentConfig } from '../runs-api/contract.ts';
import type { RequestLookup } from '../store/request-lookup.ts';
import { answerSearch, type SearchAnswer } from './form-inputs.ts';
import type { Listing, RunCatalog } from './run-catalog.ts';
import type { Asker } from './run-defaults.ts';

export type ConfigSearchParts = {
  catalog: RunCatalog;
  lookup: Pick<RequestLookup, 'recentConfigs'>;
};

export type SearchedField = 'environment' | 'model' | 'skill';

/** First what this channel used, then this person, then anybody; then the list. */
export async function searchConfig(
  { catalog, lookup }: ConfigSearchParts,
  { teamId, channelId, userId }: Asker,
  searched: SearchedField,
  query: string,
): Promise<SearchAnswer> {
  const { noun, field, list } = kinds[searched];
  const used = (configs: readonly AgentConfig[]) => configs.flatMap((each) => each[field] ?? []);
  const [here, mine, anybodys, { choices, isKnown }] = await Promise.all([
    channelId ? lookup.recentConfigs(teamId, { channelId }) : [],
    lookup.recentConfigs(teamId, { creatorId: userId }),
    lookup.recentConfigs(teamId, {}),
    list(catalog),
  ]);
  const recents = [
    { label: 'Recently used here', ids: used(here) },
    { label: 'Recently used by you', ids: used(mine) },
    { label: 'Recently used by others', ids: used(anybodys) },
  ];
  return answerSearch(query, { noun, recents, all: choices, isKnown });
}

type Kind = {
  noun: string;
  field: 'environment_id' | 'model_id' | 'skill_spec';
  list(catalog: RunCatalog): Promise<Listing>;
};

const kinds: Record<SearchedField, Kind> = {
  environment: {
    noun: 'environments',
    field: 'environment_id',
    list: (catalog) => catalog.environments(),
  },
  skill: { noun: 'skills', field: 'skill_spec', list: (catalog) => catalog.skills() },
  // No service lists its models.
  model: {
    noun: 'models',
    field: 'model_id',
    list: async () => ({ choices: [], isKnown: true }),
  },
};
