import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';

export type FindRunParts = {
  requests: Pick<Requests, 'findByRunIds' | 'findByMessage' | 'findByRunPrefix'>;
};

/** `unknown`: not started from Slack. The runs API may still know `runId`. */
export type FoundRequest =
  | { outcome: 'found'; request: RunRequest }
  | { outcome: 'unknown'; runId: string }
  | { outcome: 'wrong'; sentence: string };

/** What Slack's *Copy link* gives. */
const permalink = /\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})/;

/** Finds a run by its id, the start of its id, or a link to its message. */
export async function findRun(
  { requests }: FindRunParts,
  teamId: string,
  written: string,
): Promise<FoundRequest> {
  const [, channelId, seconds, rest] = permalink.exec(written) ?? [];
  if (channelId) {
    const request = await requests.findByMessage(teamId, { channelId, ts: `${seconds}.${rest}` });
    if (request) return { outcome: 'found', request };
    return { outcome: 'wrong', sentence: "That link isn't a link to a run message." };
  }
  const [exact] = await requests.findByRunIds([written]);
  if (exact && exact.teamId === teamId) return { outcome: 'found', request: exact };
  const [first, second] = await requests.findByRunPrefix(teamId, written);
  if (first && second) {
    const sentence = `Several runs start with ${written}. Add a few more characters.`;
    return { outcome: 'wrong', sentence };
  }
  return first ? { outcome: 'found', request: first } : { outcome: 'unknown', runId: written };
}
