/** What stands in the way of a first run. */
import type { WebClient } from '@slack/web-api';
import { RunsApiError } from 'runs-client/runs-api-error';
import { operatorConnection } from '../../requests/connection.ts';
import type { Connect } from '../configuration/connect.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';

/** `key`: the runs service rejects the operator's; `workspaceKey`, `ownKey`: those of others. `environment`: it lists none. `channel`: the app is in none. */
export type Missing = 'key' | 'workspaceKey' | 'ownKey' | 'environment' | 'channel';

export type SetupCheck = ReturnType<typeof createSetupCheck>;

type SetupParts = {
  connect: Connect;
  connections: Pick<RunConnections, 'usualOfAll'>;
  client: Pick<WebClient, 'users'>;
};

const freshMs = 60_000;
const callOptions = { timeoutMs: 5_000, maxRetries: 0 } as const;

/** The answer is the same for everyone in the workspace. */
export function createSetupCheck({ connect, connections, client }: SetupParts) {
  let known: readonly Missing[] = [];
  let staleAt = 0;
  let asking: Promise<readonly Missing[]> | undefined;

  async function ask(): Promise<readonly Missing[]> {
    const [service, slack] = await Promise.all([lookAtService(), lookAtChannels()]);
    known = [...service, ...slack];
    staleAt = Date.now() + freshMs;
    return known;
  }

  async function lookAtService(): Promise<Missing[]> {
    const connectionId = await connections.usualOfAll();
    try {
      const { environments } = await connect(connectionId);
      const { environments: listed } = await environments.list(callOptions);
      return listed.length === 0 ? ['environment'] : [];
    } catch (error) {
      if (!(error instanceof RunsApiError)) throw error;
      // Not every service lists environments, and an outage says nothing about them.
      if (error.code !== 'unauthorized') return [];
      return [connectionId === operatorConnection ? 'key' : 'workspaceKey'];
    }
  }

  async function lookAtChannels(): Promise<Missing[]> {
    try {
      const { channels, response_metadata: more } = await client.users.conversations({
        types: 'public_channel,private_channel',
        exclude_archived: true,
        limit: 100,
      });
      return channels?.length === 0 && !more?.next_cursor ? ['channel'] : [];
    } catch (error) {
      readSlackFailure(error);
      return [];
    }
  }

  return {
    /** What was missing when it was last checked. */
    known: () => known,
    async read(): Promise<readonly Missing[]> {
      if (staleAt > Date.now()) return known;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    /** Check again: something was fixed. */
    forget(): void {
      staleAt = 0;
    },
  };
}
