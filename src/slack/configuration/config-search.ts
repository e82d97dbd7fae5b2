/** What the pickers of environments, models and skills offer while a person types, in whichever form they stand. */
import type { AgentConfig } from 'runs-client/contract';
import type { RequestLookup } from '../../store/request-lookup.ts';
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
  const { noun, field, list, isComplete } = kinds[searched];
  const [here, mine, anybodys, { choices, isKnown }] = await Promise.all([
    channelId ? lookup.recentConfigs(teamId, { channelId }) : [],
    lookup.recentConfigs(teamId, { creatorId: userId }),
    lookup.recentConfigs(teamId, {}),
    list(catalog),
  ]);
  const listed = isComplete && choices.length > 0 && new Set(choices.map(({ id }) => id));
  const used = (configs: readonly AgentConfig[]) =>
    configs.flatMap((each) => each[field] ?? []).filter((id) => !listed || listed.has(id));
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
  /** What a list lacks cannot be run, however recently somebody asked for it. */
  isComplete?: true;
};

const kinds: Record<SearchedField, Kind> = {
  environment: {
    noun: 'environments',
    field: 'environment_id',
    list: (catalog) => catalog.environments(),
    isComplete: true,
  },
  skill: { noun: 'skills', field: 'skill_spec', list: (catalog) => catalog.skills() },
  // No service lists its models.
  model: {
    noun: 'models',
    field: 'model_id',
    list: async () => ({ choices: [], isKnown: true }),
  },
};
