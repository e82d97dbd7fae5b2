import { LRUCache } from 'lru-cache';
import { createRunsClient, type RunsClient, type RunsClientOptions } from 'runs-client';
import { createSharedDispatcher } from 'runs-client/shared-dispatcher';
import {
  type ConnectionKind,
  connectionKindOf,
  operatorConnection,
  serviceOf,
} from '../requests/connection.ts';
import type { ConnectionKey, ConnectionKeys } from '../store/connection-keys.ts';

type Attempt = Parameters<NonNullable<RunsClientOptions['onAttempt']>>[0];

export type ConnectionClientsDeps = Pick<RunsClientOptions, 'logger'> & {
  onAttempt?: ((attempt: Attempt & { connection: ConnectionKind }) => void) | undefined;
  keys: Pick<ConnectionKeys, 'read'>;
  /** Client options for the operator's service, from the configuration. */
  operator: Omit<RunsClientOptions, 'logger' | 'onAttempt'>;
  /**
   * Address of the operator's service, or a name for the embedded one. People's own keys for it are only sent to this
   * address.
   */
  operatorAddress: string;
  /** Private hosts that workspace connections can use. The operator trusts these hosts, even without TLS. */
  privateHosts: readonly string[];
};

export type ConnectionClients = {
  operatorAddress: string;
  operator: RunsClient;
  /** Returns the client of a connection. Undefined if the connection was removed or its key was disconnected. */
  of(connectionId: string): Promise<RunsClient | undefined>;
  /**
   * Returns a client for a key that isn't stored yet.
   * @throws TypeError if the address or the key is invalid
   */
  try(key: ConnectionKey, connectionId: string): RunsClient;
  close(): Promise<void>;
};

/** Max clients to keep. Each costs little, because clients share sockets. */
const mostClients = 1_000;

/** Keeps one client for each connection, with its current key. */
export function createConnectionClients(deps: ConnectionClientsDeps): ConnectionClients {
  const { keys, operator, operatorAddress, privateHosts, logger, onAttempt } = deps;
  const sharedBy = (connection: ConnectionKind) => ({
    logger,
    onAttempt: onAttempt && ((attempt: Attempt) => onAttempt({ ...attempt, connection })),
  });
  const own = createRunsClient({ ...operator, ...sharedBy('default') });
  const isPrivateHost = (hostname: string) =>
    privateHosts.includes(hostname.replace(/^\[|\]$/g, ''));
  const guarded = createSharedDispatcher(isPrivateHost);
  // Allow any private address for people's own keys, because they're only sent to the operator's address.
  const open = createSharedDispatcher(() => true);
  const known = new LRUCache<string, ConnectionKey & { client: RunsClient }>({ max: mostClients });

  const create = ({ baseUrl, apiKey }: ConnectionKey, connectionId: string): RunsClient => {
    const shared = sharedBy(connectionKindOf(connectionId));
    return serviceOf(connectionId) === operatorConnection
      ? createRunsClient({ ...operator, apiKey, dispatcher: open, ...shared })
      : createRunsClient({
          baseUrl,
          apiKey,
          dispatcher: guarded,
          ...shared,
          allowHttp: isPrivateHost(new URL(baseUrl).hostname),
        });
  };

  return {
    operatorAddress,
    operator: own,

    async of(connectionId) {
      if (connectionId === operatorConnection) return own;
      const key = await keys.read(connectionId);
      if (!key) return undefined;
      const before = known.get(connectionId);
      if (before?.apiKey === key.apiKey && before.baseUrl === key.baseUrl) return before.client;
      const isOperators = serviceOf(connectionId) === operatorConnection;
      // Skip a key that was stored for another service, because the operator may have switched services.
      if (isOperators && key.baseUrl !== operatorAddress) return undefined;
      const client = create(key, connectionId);
      known.set(connectionId, { ...key, client });
      return client;
    },

    try: create,

    async close() {
      await Promise.all([own.close(), guarded.destroy(), open.destroy()]);
    },
  };
}
