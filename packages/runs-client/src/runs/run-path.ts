import { RunsApiError } from '../runs-api-error.ts';

export const runPath = (runId: string, below = ''): string => idPath('runs', runId) + below;

const words = { runs: 'a run', artifacts: 'an artifact' } as const;

/** Ids are opaque, but an empty one or a dot would lead elsewhere. */
export function idPath(kind: keyof typeof words, id: string): string {
  // JavaScript calls without types can pass anything.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) {
    const given = typeof id === 'string' ? `"${id}"` : String(id);
    const message = `${given} isn't the id of ${words[kind]}; nothing was sent`;
    throw new RunsApiError({ code: 'invalid_request', message, sent: false });
  }
  return `/agent/${kind}/${encodeURIComponent(id)}`;
}
