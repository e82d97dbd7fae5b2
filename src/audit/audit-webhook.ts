import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import type { Audit } from '../store/audit/audit.ts';
import type { AuditEntry } from '../store/audit/audit-entry.ts';

type AuditWebhookDeps = {
  audit: Pick<Audit, 'unsent' | 'markSent'>;
  url: string;
  logger: Logger;
};

const idleMs = 2_000;
const mostWaitMs = 5 * 60_000;
const sentAtOnce = 100;
const timeoutMs = 10_000;

/**
 * Sends each entry of the audit log to a webhook, in order and until the webhook accepts it. After a crash, or with two
 * processes, an entry may arrive twice, with the same ID.
 */
export function createAuditWebhook({ audit, url, logger }: AuditWebhookDeps): Loop {
  let failures = 0;

  /** Sends the next entries to the webhook. Returns false if there was nothing to send. */
  async function send(signal: AbortSignal): Promise<boolean> {
    const entries = await audit.unsent(sentAtOnce);
    if (entries.length === 0) return false;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ entries: entries.map(slackShape) }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
    await audit.markSent(entries.map(({ id }) => id));
    return true;
  }

  return new Loop(async (signal) => {
    try {
      const wasSent = await send(signal);
      failures = 0;
      return wasSent ? 0 : idleMs;
    } catch (error) {
      if (signal.aborted) return idleMs;
      failures += 1;
      if (failures === 1) logger.warn({ err: error }, 'Audit entries wait; trying again');
      return Math.min(mostWaitMs, idleMs * 2 ** Math.min(failures, 10));
    }
  });
}

/** Returns an entry in the shape of Slack's audit logs. https://docs.slack.dev/admins/audit-logs-api */
export const slackShape = (entry: AuditEntry) => ({
  id: entry.id,
  date_create: Math.floor(entry.createdAt / 1_000),
  action: entry.action,
  actor: { type: 'user', user: { id: entry.actorId } },
  entity: { type: entry.entity.type, [entry.entity.type]: { id: entry.entity.id } },
  context: {
    location: { type: 'workspace', id: entry.teamId },
    ...(entry.channelId && { channel: { id: entry.channelId } }),
  },
  details: { ...entry.details, position: entry.position },
});
