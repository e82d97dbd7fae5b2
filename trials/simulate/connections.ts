import type { App } from '@slack/bolt';
import type { Owner, Scheduler } from './scheduler.ts';

/** A Socket Mode connection, or the next one of the same receiver. */
export type Connection = {
  readonly owner: Owner;
  readonly app: App;
  /** `silent` means broken, which neither side has noticed yet. */
  state: 'open' | 'silent' | 'closed';
  /** Repeats of deliveries that aren't acknowledged when the connection closes. */
  readonly repeats: Set<() => void>;
};

/** Time that the socket client has no connection after Slack closes one, in ms. */
export const reconnectMs = 5_000;
/** Time that it has none after it notices a broken connection, in ms. */
const noticedMs = 200;

/** Creates the error with the socket client's text and code. */
const notReady = () =>
  Object.assign(new Error('not ready'), { code: 'slack_socket_mode_send_while_not_ready_error' });

type ConnectionDeps = { scheduler: Scheduler; log(line: string): void };

/** Creates connections to Slack, which close, break and come back. */
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

    /** Includes broken ones, because Slack can't tell them apart. */
    usable: (): readonly Connection[] => all.filter(({ state }) => state !== 'closed'),

    ofOwner: (owner: Owner): readonly Connection[] => all.filter((each) => each.owner === owner),

    /** Replaces a connection. The process gets the next one after a while. */
    replace(connection: Connection, backMs: number): void {
      if (connection.state === 'closed') return;
      log(`${connection.owner.name} loses a connection`);
      close(connection);
      scheduler.in(backMs, connection.owner, () => {
        connection.state = 'open';
        log(`${connection.owner.name} is connected again`);
      });
    },

    /** Breaks a connection. Nothing arrives in either direction until both sides notice. */
    silence(connection: Connection, ms: number): void {
      if (connection.state !== 'open') return;
      log(`a connection of ${connection.owner.name} breaks`);
      connection.state = 'silent';
      scheduler.in(ms, undefined, () => this.replace(connection, noticedMs));
    },

    /** Closes all connections of a process that died. */
    closeAll(owner: Owner): void {
      for (const each of all) if (each.owner === owner) close(each);
    },

    /**
     * Acknowledges a delivery.
     * @returns true if Slack receives it
     * @throws like the socket client
     */
    acknowledge({ state }: Connection): boolean {
      if (state === 'closed') throw notReady();
      return state === 'open';
    },
  };
}
