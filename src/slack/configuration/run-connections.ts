import { withSoftTimeout } from 'base/time/soft-timeout';
import type { AgentConfig } from 'runs-client/contract';
import { operatorConnection, serviceOf } from '../../requests/connection.ts';
import type { ConnectionKeys } from '../../store/connection-keys.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { Asker } from '../people/setting.ts';
import { code, shorten } from '../text/escape-text.ts';
import type { RunCatalog } from './run-catalog.ts';
import { readDefaultLayers, resolveConfig } from './run-defaults.ts';

type ConnectionParts = {
  keys: Pick<ConnectionKeys, 'list' | 'ownKeys'>;
  settings: Pick<Settings, 'readLayers'>;
  catalogOf(connectionId: string): RunCatalog;
  teamId: string;
};

type Person = { teamId: string; userId: string };

export type RunConnections = ReturnType<typeof createRunConnections>;

/** The connection that a configuration names. The service never gets it. */
export const connectionNameOf = ({ connection }: AgentConfig): string | undefined =>
  typeof connection === 'string' && connection !== '' ? connection : undefined;

export const noSuchConnection = (name: string) =>
  `There's no connection called ${code(name, 60)} in this workspace. Choose another one, or ask an admin to add it in the app's Home tab.`;

/** Which connections a workspace has, and which one counts for whom. */
export function createRunConnections({ keys, settings, catalogOf, teamId }: ConnectionParts) {
  /** The service with this name; undefined if this workspace has none. */
  async function find(name: string | undefined): Promise<string | undefined> {
    if (name === undefined || name === operatorConnection) return operatorConnection;
    return (await keys.list(teamId)).find((each) => each.name === name)?.id;
  }

  /** A person who connected an own key uses that one. */
  async function through(person: Person, serviceId: string): Promise<string> {
    const own = await keys.ownKeys(person);
    return own.find((each) => each.serviceId === serviceId)?.id ?? serviceId;
  }

  /** What this person's runs here use if they choose nothing. */
  async function usual(asker: Asker): Promise<string> {
    const { config } = resolveConfig(await readDefaultLayers(settings, asker));
    return through(asker, (await find(connectionNameOf(config))) ?? operatorConnection);
  }

  return {
    find,
    /** With the workspace's key and defaults: for what everyone sees. */
    usualOfAll: () => usual({ teamId, userId: '', channelId: '' }),
    through,
    usual,

    /** All that people can choose. */
    names: async (): Promise<string[]> => [
      operatorConnection,
      ...(await keys.list(teamId)).map(({ name }) => name),
    ],

    /** Undefined if it was removed. */
    async nameOf(connectionId: string): Promise<string | undefined> {
      const serviceId = serviceOf(connectionId);
      if (serviceId === operatorConnection) return operatorConnection;
      return (await keys.list(teamId)).find(({ id }) => id === serviceId)?.name;
    },

    /** Whether this workspace may use it. */
    async has(serviceId: string): Promise<boolean> {
      if (serviceId === operatorConnection) return true;
      return (await keys.list(teamId)).some(({ id }) => id === serviceId);
    },

    /** What this person can choose on the connection with this name, or on the usual one. */
    async catalogFor(asker: Asker, name: string | undefined): Promise<RunCatalog> {
      if (name === undefined) return catalogOf(await usual(asker));
      return catalogOf(await through(asker, (await find(name)) ?? operatorConnection));
    },
  };
}

const mostNames = 8;

export type EnvironmentErrorParts = {
  connections: Pick<RunConnections, 'catalogFor'>;
  /** How long an acknowledgement waits for the service. */
  ackWaitMs: number;
};

/**
 * Why this environment can't be used, in plain text: the runs service doesn't list it. Undefined if the service is slow,
 * because it then rejects the run itself, and the run message says so.
 */
export async function findEnvironmentError(
  { connections, ackWaitMs }: EnvironmentErrorParts,
  asker: Asker,
  config: AgentConfig,
): Promise<string | undefined> {
  const { environment_id: id } = config;
  const ask = async (wanted: string) =>
    (await connections.catalogFor(asker, connectionNameOf(config))).listWithout(wanted);
  const listed = id ? await withSoftTimeout(ask(id), ackWaitMs) : undefined;
  if (!id || !listed) return undefined;
  const names = listed.slice(0, mostNames).map((each) => shorten(each.id, 40));
  const more = listed.length > mostNames ? ` and ${listed.length - mostNames} more` : '';
  return `There's no environment ${shorten(id, 60)}. Available: ${names.join(', ')}${more}.`;
}
