import type { RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';

type Late<Call> = Call extends (...asked: infer Asked) => PromiseLike<infer Answer>
  ? (...asked: Asked) => Promise<Answer>
  : never;
type LateCalls<Calls, Name extends keyof Calls> = { [Each in Name]: Late<Calls[Each]> };

/** What features ask of a runs service. */
export type Connected = {
  runs: LateCalls<RunsClient['runs'], 'get' | 'list' | 'followUp' | 'revokeSessionLink'>;
  artifacts: LateCalls<RunsClient['artifacts'], 'get' | 'download'>;
  environments: LateCalls<RunsClient['environments'], 'list'>;
  agents: LateCalls<RunsClient['agents'], 'list'>;
};

/** The calls through a connection. */
export type Connect = (connectionId: string) => Connected;

type Clients = { of(connectionId: string): Promise<RunsClient | undefined> };

/** The client is looked up for each call, because the key may have changed. Calls of a removed connection are unauthorized. */
export const createConnect =
  (clients: Clients): Connect =>
  (connectionId) => {
    const client = async () => {
      const found = await clients.of(connectionId);
      if (found) return found;
      const message = 'this connection was removed';
      throw new RunsApiError({ code: 'unauthorized', message, sent: false });
    };
    return {
      runs: {
        get: async (...asked) => (await client()).runs.get(...asked),
        list: async (...asked) => (await client()).runs.list(...asked),
        followUp: async (...asked) => (await client()).runs.followUp(...asked),
        revokeSessionLink: async (...asked) => (await client()).runs.revokeSessionLink(...asked),
      },
      artifacts: {
        get: async (...asked) => (await client()).artifacts.get(...asked),
        download: async (...asked) => (await client()).artifacts.download(...asked),
      },
      environments: { list: async (...asked) => (await client()).environments.list(...asked) },
      agents: { list: async (...asked) => (await client()).agents.list(...asked) },
    };
  };
