import type { WebClient } from '@slack/web-api';
import { sleep } from '../lib/sleep.ts';
import { readSlackTrouble } from './slack-trouble.ts';

/** A sentence that says why this person may not start runs and whom to ask; undefined when they may. */
export type WhyNotStart = (teamId: string, userId: string) => Promise<string | undefined>;

/** A form must be acknowledged in three seconds. A slow Slack keeps no member of the workspace from working. */
const patienceMs = 1_200;
const keptMs = 10 * 60_000;
const mostKept = 10_000;

const guest = 'Guests of this workspace cannot start agent runs. Ask a member to start it for you.';
const stranger =
  'Only members of the workspace that this app belongs to can start agent runs. Ask one of them to start it for you.';

/** Full members only: an agent works with the team's own repositories and keys. */
export function createWhyNotStart(client: Pick<WebClient, 'users'>): WhyNotStart {
  const known = new Map<string, { sentence: string | undefined; staleAt: number }>();

  async function ask(teamId: string, userId: string): Promise<string | undefined> {
    try {
      const { user } = await client.users.info({ user: userId });
      const isOurs = user?.team_id === undefined || user.team_id === teamId;
      const isGuest = user?.is_restricted || user?.is_ultra_restricted;
      const sentence = isOurs && !user?.is_stranger ? (isGuest ? guest : undefined) : stranger;
      if (known.size >= mostKept) known.clear();
      known.set(userId, { sentence, staleAt: Date.now() + keptMs });
      return sentence;
    } catch (error) {
      const { outcome, reason } = readSlackTrouble(error);
      return outcome === 'refused' && reason === 'user_not_found' ? stranger : undefined;
    }
  }

  return async (teamId, userId) => {
    const found = known.get(userId);
    if (found && found.staleAt > Date.now()) return found.sentence;
    const waiting = new AbortController();
    try {
      const patience = sleep(patienceMs, waiting.signal).then(() => undefined);
      return await Promise.race([ask(teamId, userId), patience]);
    } finally {
      waiting.abort();
    }
  };
}
