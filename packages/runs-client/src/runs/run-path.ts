import { RunsApiError } from '../runs-api-error.ts';

export const runPath = (runId: string, below = ''): string => idPath('runs', runId) + below;

const words = { runs: 'a run', artifacts: 'an artifact' } as const;

/** Ids are opaque, but an empty one or a dot would lead elsewhere. */
export function idPath(kind: keyof typeof words, id: string): string {
  if (/^\.{0,2}$/.test(id)) {
    const message = `"${id}" isn't the id of ${words[kind]}; nothing was sent`;
    throw new RunsApiError({ code: 'invalid_request', message, sent: false });
  }
  return `/agent/${kind}/${encodeURIComponent(id)}`;
}
