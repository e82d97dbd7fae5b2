import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { placeOfLink } from '../runs/run-ref.ts';

export type FindRunParts = {
  requests: Pick<Requests, 'findByMessage' | 'findByRunPrefix' | 'findVisible'>;
};

/** `unknown`: not started from Slack. The runs API may still know `runId`. */
type FoundRequest =
  | { outcome: 'found'; request: RunRequest }
  | { outcome: 'unknown'; runId: string }
  | { outcome: 'wrong'; sentence: string };

/** One that's written whole counts, even if others start with it. */
const mostCompared = 50;

/** Finds a run by its id, the start of its id, or a link to its message. */
export async function findRun(
  { requests }: FindRunParts,
  viewer: RunViewer,
  written: string,
): Promise<FoundRequest> {
  const { teamId } = viewer;
  async function ifVisible(request: RunRequest | undefined) {
    const visible = request && (await requests.findVisible(viewer, [request.id]));
    return request && visible?.has(request.id) ? request : undefined;
  }
  const place = placeOfLink(written);
  if (place) {
    const request = await ifVisible(await requests.findByMessage(teamId, place));
    if (request) return { outcome: 'found', request };
    return { outcome: 'wrong', sentence: "That link isn't a link to a run message." };
  }
  const found = await requests.findByRunPrefix(viewer, written, mostCompared);
  const exact = found.find(({ runId }) => runId === written);
  if (exact) return { outcome: 'found', request: exact };
  const [first, second] = found;
  if (first && second) {
    const sentence = `Several runs start with ${written}. Add a few more characters.`;
    return { outcome: 'wrong', sentence };
  }
  return first ? { outcome: 'found', request: first } : { outcome: 'unknown', runId: written };
}
