import type { Fate } from './plan.ts';

/** The publication of a run's changes. Each call opens a pull request, also a repeated one. */
export type Publication = {
  state: 'offered' | 'publishing' | 'published' | 'failed';
  asks: number;
  /** Calls that failed and can be repeated. */
  failures: number;
  pullRequests: { url: string; state: 'draft' | 'open' | 'merged' }[];
  isBehind: boolean;
  /** Calls that merged, also when it was merged before. */
  merges: number;
  /** Calls that were rejected for a temporary reason. */
  rejections: number;
};

/** Returns the result of a run at its end: changes that can be published, or a pull request. */
export function offeredBy({ changes }: Fate, runId: string): Publication | undefined {
  if (changes === 'none') return undefined;
  const nothing = {
    asks: 0,
    failures: 0,
    merges: 0,
    rejections: 0,
    isBehind: changes === 'behind',
  };
  if (changes === 'publishable' || changes === 'rejected first')
    return { ...nothing, state: 'offered', pullRequests: [] };
  const state = changes === 'draft' ? 'draft' : 'open';
  return { ...nothing, state: 'published', pullRequests: [{ url: urlOf(runId, 1), state }] };
}

const urlOf = (runId: string, number: number) =>
  `https://github.com/simulated/${runId}/pull/${number}`;

const publishMs = 700;

type Publishing = {
  publication: Publication;
  runId: string;
  fate: Fate | undefined;
  /** Returns true once nothing works on the publication anymore. */
  isOver(): boolean;
  after(ms: number, run: () => void): void;
  changed(): void;
};

/** Publishes the changes, a moment after the call. */
export function publish(parts: Publishing): void {
  const { publication, runId, fate, changed } = parts;
  publication.asks += 1;
  publication.state = 'publishing';
  const isRejected = fate?.changes === 'rejected first' && publication.asks === 1;
  changed();
  parts.after(publishMs, () => {
    const url = urlOf(runId, publication.pullRequests.length + 1);
    publication.state = isRejected ? 'failed' : 'published';
    if (isRejected) publication.failures += 1;
    if (!isRejected)
      publication.pullRequests.push({ url, state: parts.isOver() ? 'merged' : 'open' });
    changed();
  });
}

/** Returns the actions that are possible for the pull request now. */
function actionsOf({ pullRequests, isBehind }: Publication): string[] {
  const state = pullRequests.at(-1)?.state;
  if (state === 'draft') return ['mark_ready'];
  if (state === 'open') return [isBehind ? 'update_branch' : 'merge'];
  return [];
}

/**
 * Changes the pull request. Repeating it does no harm, except for a merge.
 * @returns true if it's done
 */
export function changePullRequest(
  publication: Publication,
  action: unknown,
  { fate, changed }: Pick<Publishing, 'fate' | 'changed'>,
): boolean {
  const pullRequest = publication.pullRequests.at(-1);
  if (!pullRequest) return false;
  const isMerged = pullRequest.state === 'merged';
  const isOffered = actionsOf(publication).includes(String(action));
  const isRejected = fate?.changes === 'merge rejected first' && publication.rejections === 0;
  if (action === 'merge' && (isMerged || (isOffered && !isRejected))) {
    publication.merges += 1;
    pullRequest.state = 'merged';
  } else if (!isOffered) return false;
  else if (action === 'merge') {
    publication.rejections += 1;
    return false;
  } else if (action === 'mark_ready') pullRequest.state = 'open';
  else publication.isBehind = false;
  changed();
  return true;
}

/** Returns a run's members about its publication. */
export function shownPublication(publication: Publication | undefined) {
  if (!publication) return {};
  const { state, pullRequests } = publication;
  return {
    publication: {
      state,
      mode: 'pull_request',
      branch: 'simulated',
      base: 'main',
      actions: actionsOf(publication),
    },
    artifacts: pullRequests.map((data) => ({ artifact_type: 'PULL_REQUEST', data })),
  };
}
