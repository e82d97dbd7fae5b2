import type { Fate } from './plan.ts';

/** What came of a run's changes. Each call opens a pull request, also the same one again. */
export type Publication = {
  state: 'offered' | 'publishing' | 'published' | 'failed';
  asks: number;
  /** Asks that came to nothing. They may be repeated. */
  failures: number;
  pullRequests: { url: string; state: 'open' | 'merged' }[];
};

export const offeredBy = ({ changes }: Fate): Publication | undefined =>
  changes === 'none' ? undefined : { state: 'offered', asks: 0, failures: 0, pullRequests: [] };

const publishMs = 700;

type Publishing = {
  publication: Publication;
  runId: string;
  fate: Fate | undefined;
  /** Nobody works on it any more. */
  isOver(): boolean;
  after(ms: number, run: () => void): void;
  changed(): void;
};

/** Someone asks for it. It's done a moment later. */
export function publish(parts: Publishing): void {
  const { publication, runId, fate, changed } = parts;
  publication.asks += 1;
  publication.state = 'publishing';
  const isRefused = fate?.changes === 'refused first' && publication.asks === 1;
  changed();
  parts.after(publishMs, () => {
    const number = publication.pullRequests.length + 1;
    const url = `https://github.com/simulated/${runId}/pull/${number}`;
    publication.state = isRefused ? 'failed' : 'published';
    if (isRefused) publication.failures += 1;
    if (!isRefused)
      publication.pullRequests.push({ url, state: parts.isOver() ? 'merged' : 'open' });
    changed();
  });
}

/** The members of a run that tell of it. */
export function shownPublication(publication: Publication | undefined) {
  if (!publication) return {};
  const { state, pullRequests } = publication;
  return {
    publication: { state, mode: 'pull_request', branch: 'simulated', base: 'main' },
    artifacts: pullRequests.map((data) => ({ artifact_type: 'PULL_REQUEST', data })),
  };
}
