import type { App } from '@slack/bolt';

/** Part of a Bolt app that receivers use. */
export type DeliverTo = Pick<App, 'processEvent'>;

/** Bolt's `Receiver` with `isConnected`, which returns true if deliveries can arrive. */
export type ConnectedReceiver = {
  init(app: DeliverTo): void;
  start(): Promise<unknown>;
  stop(): Promise<unknown>;
  isConnected(): boolean;
};
