/** Environments and skills that the runs API lists, for the form's pickers. */
import { RunsApiError } from '../runs-api/runs-api-error.ts';
import type { RunsClient } from '../runs-api/runs-client.ts';
import type { Choice } from './form-inputs.ts';

type CatalogParts = Pick<RunsClient, 'environments' | 'agents'>;

export type RunCatalog = {
  environments(): Promise<readonly Choice[]>;
  skills(): Promise<readonly Choice[]>;
};

/** A list counts as fresh for so long; an answer that failed is asked for again sooner. */
const freshMs = 60_000;
const failedMs = 5_000;
/** Slack wants the options of a picker within three seconds. */
const callOptions = { timeoutMs: 1_500, maxRetries: 0 };

/** Keeps what was listed last, so that the pickers work through an outage; without any answer they list nothing. */
export function createRunCatalog({ environments, agents }: CatalogParts): RunCatalog {
  return {
    environments: remember(async () => {
      const listed = await environments.list(callOptions);
      return listed.environments.map(({ uid, config }) => ({ id: uid, name: config.name }));
    }),
    skills: remember(async () => {
      const listed = await agents.list(callOptions);
      return listed.agents.flatMap(({ name, variants }) =>
        variants.map(({ id }) => ({ id, name })),
      );
    }),
  };
}

function remember(load: () => Promise<Choice[]>): () => Promise<readonly Choice[]> {
  let known: readonly Choice[] = [];
  let staleAt = 0;
  return async () => {
    if (Date.now() < staleAt) return known;
    try {
      known = await load();
      staleAt = Date.now() + freshMs;
    } catch (error) {
      if (!(error instanceof RunsApiError)) throw error;
      // Not every service lists these; ids can always be written by hand.
      staleAt = Date.now() + failedMs;
    }
    return known;
  };
}
