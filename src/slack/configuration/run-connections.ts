import { withSoftTimeout } from 'base/time/soft-timeout';
import type { AgentConfig } from 'runs-client/contract';
import { operatorConnection, serviceOf } from '../../requests/connection.ts';
import type { ConnectionKeys } from '../../store/connection-keys.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { Asker } from '../people/setting.ts';
import { code, shorten } from '../text/escape-text.ts';
import type { RunCatalog } from './run-catalog.ts';
import { readDefaultLayers, resolveConfig } from './run-defaults.ts';

type Person = { teamId: string; userId: string };

export type RunConnections = ReturnType<typeof createRunConnections>;

/**
 * Returns the name of the connection that a configuration selects, or undefined if it selects none. The name isn't sent
 * to the runs service.
 */
export const connectionNameOf = ({ connection }: AgentConfig): string | undefined =>
  typeof connection === 'string' && connection !== '' ? connection : undefined;

export const noSuchConnection = (name: string) =>
  `There's no connection called ${code(name, 60)} in this workspace. Choose another one, or ask an admin to add it in the app's Home tab.`;

/** Creates functions that find a workspace's connections, and the connection that a person's runs use. */
export function createRunConnections(deps: {
  keys: ConnectionKeys;
  settings: Settings;
  catalogOf(connectionId: string): RunCatalog;
  teamId: string;
}) {
  const { keys, settings, catalogOf, teamId } = deps;
  /**
   * Returns the runs service ID for a connection name, or undefined if there is no such connection. Without a name,
   * returns the operator's service.
   */
  async function find(name: string | undefined): Promise<string | undefined> {
    if (name === undefined || name === operatorConnection) return operatorConnection;
    return (await keys.list(teamId)).find((each) => each.name === name)?.id;
  }

  /** Returns the ID of the connection with the person's own key, or else of the one with the workspace's key. */
  async function through(person: Person, serviceId: string): Promise<string> {
    const own = await keys.ownKeys(person);
    return own.find((each) => each.serviceId === serviceId)?.id ?? serviceId;
  }

  /** Returns the ID of the connection that this person's runs use by default. */
  async function usual(asker: Asker): Promise<string> {
    const { config } = resolveConfig(await readDefaultLayers(settings, asker));
    return through(asker, (await find(connectionNameOf(config))) ?? operatorConnection);
  }

  return {
    find,
    /** Returns the ID of the workspace's default connection with the workspace's key, for lists that everyone sees. */
    usualOfAll: () => usual({ teamId, userId: '', channelId: '' }),
    through,
    usual,

    /** Returns the names of the connections that people can choose. */
    names: async (): Promise<string[]> => [
      operatorConnection,
      ...(await keys.list(teamId)).map(({ name }) => name),
    ],

    /** Returns the connection's name, or undefined if it was removed. */
    async nameOf(connectionId: string): Promise<string | undefined> {
      const serviceId = serviceOf(connectionId);
      if (serviceId === operatorConnection) return operatorConnection;
      return (await keys.list(teamId)).find(({ id }) => id === serviceId)?.name;
    },

    /** Returns true if this workspace can use the runs service. */
    async has(serviceId: string): Promise<boolean> {
      if (serviceId === operatorConnection) return true;
      return (await keys.list(teamId)).some(({ id }) => id === serviceId);
    },

    /** Returns the catalog of the named connection, or of the person's default one. */
    async catalogFor(asker: Asker, name: string | undefined): Promise<RunCatalog> {
      if (name === undefined) return catalogOf(await usual(asker));
      return catalogOf(await through(asker, (await find(name)) ?? operatorConnection));
    },
  };
}

const maxNames = 8;

export type EnvironmentCheckDeps = {
  connections: Pick<RunConnections, 'catalogFor'>;
  /** Max time that an acknowledgement waits for the runs service, in ms. */
  ackWaitMs: number;
};

/**
 * Returns an error in plain text if the runs service doesn't list this environment. Returns undefined if the service is
 * slow. It then rejects the run later, and the run message shows why.
 */
export async function findEnvironmentError(
  { connections, ackWaitMs }: EnvironmentCheckDeps,
  asker: Asker,
  config: AgentConfig,
): Promise<string | undefined> {
  const { environment_id: id } = config;
  const ask = async (wanted: string) =>
    (await connections.catalogFor(asker, connectionNameOf(config))).listWithout(wanted);
  const listed = id ? await withSoftTimeout(ask(id), ackWaitMs) : undefined;
  if (!id || !listed) return undefined;
  const names = listed.slice(0, maxNames).map((each) => shorten(each.id, 40));
  const more = listed.length > maxNames ? ` and ${listed.length - maxNames} more` : '';
  return `There's no environment ${shorten(id, 60)}. Available: ${names.join(', ')}${more}.`;
}
