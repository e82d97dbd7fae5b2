/** Defines connection IDs. They name a run's service and the key that the run uses. */
import { z } from 'zod';

/** ID and name of the operator's connection: `RUNS_API_URL` and `RUNS_API_KEY`, or the embedded service. */
export const operatorConnection = 'default';

/**
 * Name of a connection, unique in its workspace. It never changes, because settings, presets and policies refer to it.
 */
export const connectionNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/)
  .refine((name) => name !== operatorConnection);

/** Returns the connection ID of a personal key: the ID of the connection, followed by the key's owner. */
export const ownKeyOf = (serviceId: string, { teamId, userId }: KeyOwner): string =>
  `${serviceId}/${teamId}/${userId}`;
type KeyOwner = { teamId: string; userId: string };

/** Returns the ID of a connection without a key's owner. Runs with the same ID are on the same service. */
export const serviceOf = (connectionId: string): string => connectionId.split('/', 1)[0] ?? '';

/** Returns the owner of a person's own key, or undefined for other connections. */
export const keyOwnerOf = (connectionId: string): string | undefined => connectionId.split('/')[2];

export const isOwnKey = (connectionId: string): boolean => connectionId.includes('/');

/** The key's owner: the operator, a workspace that added the connection, or a person. */
export type ConnectionKind = 'default' | 'added' | 'own';

export function connectionKindOf(connectionId: string): ConnectionKind {
  if (isOwnKey(connectionId)) return 'own';
  return connectionId === operatorConnection ? 'default' : 'added';
}

/** Problem codes of a request whose connection no longer exists. */
export const connectionRemoved = 'connection_removed';
export const keyDisconnected = 'key_disconnected';
