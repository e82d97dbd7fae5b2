import type { WebClient } from '@slack/web-api';
import { ExplainedError } from '../lib/explained-error.ts';
import { sleep } from '../lib/sleep.ts';
import { isAdminsToMend } from './slack-outcomes.ts';
import { readSlackTrouble } from './slack-trouble.ts';

const waitsMs: readonly number[] = [500, 1_000, 2_000, 4_000];
/** What takes longer, such as a token that somebody has to mend, is said at once. */
const momentMs = 10_000;

/**
 * Who we are in Slack, which is asked for at the start. When Slack is away for a moment just then, it is asked again.
 * @throws ExplainedError with what to do about it
 */
export async function readIdentity(client: Pick<WebClient, 'auth'>, waits = waitsMs) {
  for (const waitMs of waits) {
    try {
      return await client.auth.test();
    } catch (error) {
      const trouble = readSlackTrouble(error);
      if (trouble.outcome === 'refused' || trouble.retryAfterMs > momentMs) explain(error);
      await sleep(Math.max(waitMs, trouble.retryAfterMs));
    }
  }
  return await client.auth.test().catch(explain);
}

function explain(error: unknown): never {
  const { outcome, reason } = readSlackTrouble(error);
  const help =
    outcome === 'refused' || isAdminsToMend(reason)
      ? 'Check SLACK_BOT_TOKEN: install the app in the workspace and copy its Bot User OAuth Token.'
      : 'Check the network and SLACK_API_URL, then start again.';
  throw new ExplainedError(`Slack did not accept us (${reason}). ${help}`, { cause: error });
}
