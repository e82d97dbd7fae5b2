/** Lists the runs service's environments and skills for pickers. */

import { LRUCache } from 'lru-cache';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { Choice } from '../text/form-inputs.ts';
import type { Connect } from './connect.ts';

/**
 * Choices for a picker. `isKnown` is false until the service has answered, so an empty list doesn't mean that there are
 * none.
 */
export type Listing = { choices: readonly Choice[]; isKnown: boolean };

export type RunCatalog = {
  environments(): Promise<Listing>;
  skills(): Promise<Listing>;
  /**
   * Reads the list again and returns it if it lacks this environment. Returns undefined if the list contains it, or if
   * the service doesn't answer.
   */
  listWithout(environmentId: string): Promise<readonly Choice[] | undefined>;
};

/** Time after an answer until the list is read again, in ms. `failedMs` is the time after a failure. */
const freshMs = 60_000;
const failedMs = 5_000;
/** Short timeout, because Slack waits only three seconds for a picker's options. */
const callOptions = { timeoutMs: 1_500, maxRetries: 0 };

/** Max connections whose lists stay in memory. */
const maxConnections = 500;

export function createCatalogs(connect: Connect): (connectionId: string) => RunCatalog {
  const catalogs = new LRUCache<string, RunCatalog>({ max: maxConnections });
  return (connectionId) => {
    const catalog = catalogs.get(connectionId) ?? createRunCatalog(() => connect(connectionId));
    catalogs.set(connectionId, catalog);
    return catalog;
  };
}

/** Creates the lists of one connection. Keeps the last answer, so that pickers work while the service is down. */
function createRunCatalog(connected: () => ReturnType<Connect>): RunCatalog {
  const environmentList = remember(async () => {
    const { environments } = await connected();
    const listed = await environments.list(callOptions);
    return listed.environments.map(({ uid, config: { name, warning } }) => ({
      id: uid,
      name,
      ...(warning && { warning }),
    }));
  });
  const skillList = remember(async () => {
    const { agents } = await connected();
    const listed = await agents.list(callOptions);
    return listed.agents.flatMap(({ name, variants }) => variants.map(({ id }) => ({ id, name })));
  });
  return {
    environments: environmentList.read,
    skills: skillList.read,
    async listWithout(environmentId) {
      const hasIt = ({ choices }: Listing) => choices.some(({ id }) => id === environmentId);
      if (hasIt(await environmentList.read())) return undefined;
      const fresh = await environmentList.load();
      return fresh && fresh.choices.length > 0 && !hasIt(fresh) ? fresh.choices : undefined;
    },
  };
}

function remember(fetchChoices: () => Promise<Choice[]>) {
  let listing: Listing = { choices: [], isKnown: false };
  let staleAt = 0;

  async function load(): Promise<Listing | undefined> {
    try {
      listing = { choices: await fetchChoices(), isKnown: true };
      staleAt = Date.now() + freshMs;
      return listing;
    } catch (error) {
      if (!(error instanceof RunsApiError)) throw error;
      // Try again later without an error, because some services have no such list, and people can still type an ID.
      staleAt = Date.now() + failedMs;
      return undefined;
    }
  }

  async function read(): Promise<Listing> {
    if (Date.now() >= staleAt) await load();
    return listing;
  }

  return { read, load };
}
