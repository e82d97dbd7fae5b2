import { operatorConnection } from '../../requests/connection.ts';
import type { ConnectionKeys } from '../../store/connection-keys.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import type { Rights } from '../people/rights.ts';
import type { ConnectionsContent } from './connections-view.ts';

export type ListConnectionsParts = {
  keys: Pick<ConnectionKeys, 'list' | 'ownKeys'>;
  connections: Pick<RunConnections, 'nameOf' | 'usualOfAll'>;
  rights: Pick<Rights, 'refuseSettings'>;
};

/** What this person sees of the workspace's connections. */
export async function listConnections(
  { keys, connections, rights }: ListConnectionsParts,
  viewer: RunViewer,
): Promise<ConnectionsContent> {
  const [named, own, usual, refusal] = await Promise.all([
    keys.list(viewer.teamId),
    keys.ownKeys(viewer),
    connections.usualOfAll(),
    rights.refuseSettings(viewer, 'workspace'),
  ]);
  const operators = { id: operatorConnection, name: operatorConnection };
  return {
    isAdmin: refusal === undefined,
    usual: (await connections.nameOf(usual)) ?? operatorConnection,
    connections: [{ ...operators, baseUrl: undefined, problem: null }, ...named].map((each) => ({
      serviceId: each.id,
      name: each.name,
      host: each.baseUrl && new URL(each.baseUrl).host,
      problem: each.problem,
      ownKey: own.find(({ serviceId }) => serviceId === each.id),
    })),
  };
}
