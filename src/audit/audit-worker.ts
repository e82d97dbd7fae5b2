import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import { type Audit, SealedElsewhere } from '../store/audit/audit.ts';
import { slackShape } from './slack-shape.ts';

type AuditWorkerParts = {
  audit: Pick<Audit, 'seal' | 'unsent' | 'markSent'>;
  /** The webhook that gets every entry. */
  url?: string | undefined;
  logger: Logger;
};

const idleMs = 2_000;
const mostWaitMs = 5 * 60_000;
const sentAtOnce = 100;
const timeoutMs = 10_000;

/**
 * Puts new entries into the chain, and sends them to the webhook, in order and until it takes them. After a crash, or with
 * two processes, it may get an entry twice: the id is the same.
 */
export function createAuditWorker({ audit, url, logger }: AuditWorkerParts): Loop {
  let failures = 0;

  async function send(webhook: string, signal: AbortSignal): Promise<boolean> {
    const entries = await audit.unsent(sentAtOnce);
    const last = entries.at(-1);
    if (!last) return false;
    const response = await fetch(webhook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ entries: entries.map(slackShape) }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
    await audit.markSent(last.position);
    return true;
  }

  return new Loop(async (signal) => {
    try {
      const isMore = (await audit.seal()) > 0;
      const wasSent = url !== undefined && (await send(url, signal));
      failures = 0;
      return isMore || wasSent ? 0 : idleMs;
    } catch (error) {
      if (signal.aborted || error instanceof SealedElsewhere) return idleMs;
      failures += 1;
      if (failures === 1) logger.warn({ err: error }, 'Audit entries wait; trying again');
      return Math.min(mostWaitMs, idleMs * 2 ** Math.min(failures, 10));
    }
  });
}
