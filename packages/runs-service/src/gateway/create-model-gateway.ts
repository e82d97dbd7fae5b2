import type { Logger } from 'base/logger';
import type { ModelCalls } from '../store/model-calls.ts';
import { CallLeases } from './call-leases.ts';
import { createGateway, type Gateway } from './gateway.ts';
import type { GatewayReports } from './gateway-reports.ts';
import type { Hold } from './hold.ts';
import { createReadKey } from './key-files.ts';
import { createPrices } from './prices.ts';
import { createCallRows } from './settle-call.ts';
import { createUpstream } from './upstream.ts';

export type ModelGateway = Gateway & {
  /** @param crashedOwner process that has ended, so its calls are lost */
  start(crashedOwner: string | undefined): void;
};

/** Creates the model gateway of a service, with all that it needs. */
export function createModelGateway({
  calls,
  owner,
  hold,
  onEnded,
  reports,
  silenceMs,
  keepAliveMs,
  logger,
}: {
  calls: Pick<ModelCalls, 'reserve' | 'settle' | 'release' | 'renew' | 'settleLost'>;
  /** Name of this process in the store. */
  owner: string;
  hold: Hold;
  /** Called after the end of a run's call was stored. */
  onEnded: (runId: string) => void;
  reports?: GatewayReports | undefined;
  /** Time after which a silent provider counts as failed, in ms. */
  silenceMs?: number | undefined;
  /** Time between two keep-alives, in ms. */
  keepAliveMs?: number | undefined;
  logger: Logger;
}): ModelGateway {
  const leases = new CallLeases(calls, owner, onEnded, logger);
  const stopping = new AbortController();
  const gateway = createGateway({
    rows: createCallRows({ calls, owner, leases, stopping: stopping.signal, logger }),
    owner,
    prices: createPrices(),
    hold,
    onEnded,
    readKey: createReadKey(),
    upstream: createUpstream(),
    reports,
    silenceMs,
    keepAliveMs,
    logger,
  });
  return {
    handlerFor: gateway.handlerFor,
    whenIdle: gateway.whenIdle,
    start: (crashedOwner) => leases.start(crashedOwner),
    async stop() {
      stopping.abort();
      await gateway.stop();
      await leases.stop();
    },
  };
}
