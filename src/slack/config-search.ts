/** What the pickers of environments, models and skills offer while a person types, in whichever form they stand. */
import type { RequestLookup } from '../store/request-lookup.ts';
import { answerSearch, type Choice, type SearchAnswer } from './form-inputs.ts';
import type { RunCatalog } from './run-catalog.ts';
import type { Asker } from './run-defaults.ts';

export type ConfigSearchParts = {
  catalog: RunCatalog;
  lookup: Pick<RequestLookup, 'recentConfigs'>;
};

export type SearchedField = 'environment' | 'model' | 'skill';

export async function searchConfig(
  { catalog, lookup }: ConfigSearchParts,
  asker: Asker,
  searched: SearchedField,
  query: string,
): Promise<SearchAnswer> {
  const recent = await lookup.recentConfigs(asker.teamId, asker.channelId);
  const { noun, field, list } = kinds[searched];
  const all = await list(catalog);
  return answerSearch(query, {
    noun,
    recent: recent.flatMap((config) => config[field] ?? []),
    all,
  });
}

type Kind = {
  noun: string;
  field: 'environment_id' | 'model_id' | 'skill_spec';
  list(catalog: RunCatalog): Promise<readonly Choice[]>;
};

const kinds: Record<SearchedField, Kind> = {
  environment: {
    noun: 'environments',
    field: 'environment_id',
    list: (catalog) => catalog.environments(),
  },
  skill: { noun: 'skills', field: 'skill_spec', list: (catalog) => catalog.skills() },
  // No service lists its models.
  model: { noun: 'models', field: 'model_id', list: async () => [] },
};
