/** Which runs service a run is on, and with which key. */
import { z } from 'zod';

/** The connection of the configuration: `RUNS_API_URL` and `RUNS_API_KEY`, or the embedded service. Also its name. */
export const operatorConnection = 'default';

/** Unique in its workspace. It never changes, because settings, presets and policies refer to it. */
export const connectionNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/)
  .refine((name) => name !== operatorConnection);

/** A person's own key has the connection's id, followed by who it belongs to. */
export const ownKeyOf = (serviceId: string, { teamId, userId }: KeyOwner): string =>
  `${serviceId}/${teamId}/${userId}`;
type KeyOwner = { teamId: string; userId: string };

/** The connection that a key is for: runs with the same one are on the same service. */
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

/** Codes of problems: the request's connection isn't there anymore. */
export const connectionRemoved = 'connection_removed';
export const keyDisconnected = 'key_disconnected';
