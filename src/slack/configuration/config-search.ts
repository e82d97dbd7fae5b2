/** Answers searches in the pickers of environments, models and skills. */
import type { AgentConfig } from 'runs-client/contract';
import { defaultChoice } from '../../policy/policy.ts';
import { allowsId, type PolicyCase, rulingOn } from '../../policy/ruling.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { Asker } from '../people/setting.ts';
import { answerSearch, type Choice, type SearchAnswer } from '../text/form-inputs.ts';
import type { Listing, RunCatalog } from './run-catalog.ts';
import type { RunConnections } from './run-connections.ts';

const searchedFields = ['environment', 'model', 'skill'] as const;
export type SearchedField = (typeof searchedFields)[number];

/** Returns the field that a picker searches. Works for the pickers of all forms. */
export const readSearchedField = (actionId: string): SearchedField | undefined =>
  searchedFields.find((field) => actionId.endsWith(`:${field}`));

/**
 * Offers recent values of this channel, this person and others, then the full list.
 * @param policy rules that limit the offered values
 */
export async function searchConfig(
  {
    connections,
    requests,
  }: {
    connections: Pick<RunConnections, 'catalogFor'>;
    requests: Pick<Requests, 'recentConfigs'>;
  },
  asker: Asker & { connection?: string | undefined },
  searched: SearchedField,
  query: string,
  policy?: PolicyCase,
): Promise<SearchAnswer> {
  const { noun, field, list, isComplete } = kinds[searched];
  const catalog = await connections.catalogFor(asker, asker.connection);
  const [here, mine, others, { choices, isKnown }] = await Promise.all([
    asker.channelId ? requests.recentConfigs(asker, { channelId: asker.channelId }) : [],
    requests.recentConfigs(asker, { creatorId: asker.userId }),
    requests.recentConfigs(asker, {}),
    list(catalog),
  ]);
  const { isOffered, allowed } = offersOf(policy, searched);
  const listed = isComplete && choices.length > 0 && new Set(choices.map(({ id }) => id));
  const used = (configs: readonly AgentConfig[]) =>
    configs
      .flatMap((each) => each[field] ?? [])
      .filter((id) => (!listed || listed.has(id)) && isOffered(id));
  const recents = [
    { label: 'Recently used here', ids: used(here) },
    { label: 'Recently used by you', ids: used(mine) },
    { label: 'Recently used by others', ids: used(others) },
  ];
  const all = choices.length > 0 ? choices.filter(({ id }) => isOffered(id)) : allowed;
  return answerSearch(query, { noun, recents, all, isKnown, isOffered });
}

/** Returns a check for values that the policy allows. `allowed` lists the values that the policy names. */
function offersOf(policy: PolicyCase | undefined, searched: SearchedField) {
  if (!policy || searched === 'skill') return { isOffered: () => true, allowed: [] };
  const subject = `${searched}s` as const;
  const ids = rulingOn(policy, subject).value?.filter((id) => id !== defaultChoice) ?? [];
  const isOffered = (id: string) => allowsId(policy, subject, id);
  return { isOffered, allowed: ids.map((id): Choice => ({ id })) };
}

type Kind = {
  noun: string;
  field: 'environment_id' | 'model_id' | 'skill_spec';
  list(catalog: RunCatalog): Promise<Listing>;
  /** True if only values in the list can be used, and recent values outside it can't. */
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
  // Search models only among recent and typed ones, because the runs API has no list of models.
  model: {
    noun: 'models',
    field: 'model_id',
    list: async () => ({ choices: [], isKnown: true }),
  },
};
