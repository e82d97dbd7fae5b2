import type { App } from '@slack/bolt';
import type { Owner, Scheduler } from './scheduler.ts';

/** A connection of Socket Mode, or the next one of the same receiver. */
export type Connection = {
  readonly owner: Owner;
  readonly app: App;
  /** `silent`: broken, which neither side has noticed yet. */
  state: 'open' | 'silent' | 'closed';
  /** What Slack does with what wasn't acknowledged when the connection closes. */
  readonly repeats: Set<() => void>;
};

/** How long the socket client is without a connection when Slack closes one. */
export const reconnectMs = 5_000;
/** The same when it notices that a connection is broken. */
const noticedMs = 200;

/** As the socket client names it. */
const notReady = () =>
  Object.assign(new Error('not ready'), { code: 'slack_socket_mode_send_while_not_ready_error' });

type ConnectionDeps = { scheduler: Scheduler; log(line: string): void };

/** Connections to Slack, which close, break and come back. */
export function createConnections({ scheduler, log }: ConnectionDeps) {
  const all: Connection[] = [];

  function close(connection: Connection): void {
    if (connection.state === 'closed') return;
    connection.state = 'closed';
    const repeats = [...connection.repeats];
    connection.repeats.clear();
    for (const repeat of repeats) repeat();
  }

  return {
    open(owner: Owner, app: App): void {
      all.push({ owner, app, state: 'open', repeats: new Set() });
    },

    /** Slack can't tell which ones are broken. */
    usable: (): readonly Connection[] => all.filter(({ state }) => state !== 'closed'),

    ofOwner: (owner: Owner): readonly Connection[] => all.filter((each) => each.owner === owner),

    /** The process gets another one after a while. */
    replace(connection: Connection, backMs: number): void {
      if (connection.state === 'closed') return;
      log(`${connection.owner.name} loses a connection`);
      close(connection);
      scheduler.in(backMs, connection.owner, () => {
        connection.state = 'open';
        log(`${connection.owner.name} is connected again`);
      });
    },

    /** Nothing arrives in either direction until both sides notice. */
    silence(connection: Connection, ms: number): void {
      if (connection.state !== 'open') return;
      log(`a connection of ${connection.owner.name} breaks`);
      connection.state = 'silent';
      scheduler.in(ms, undefined, () => this.replace(connection, noticedMs));
    },

    /** The process has died. */
    closeAll(owner: Owner): void {
      for (const each of all) if (each.owner === owner) close(each);
    },

    /** @returns whether Slack hears it. @throws like the socket client */
    acknowledge({ state }: Connection): boolean {
      if (state === 'closed') throw notReady();
      return state === 'open';
    },
  };
}
