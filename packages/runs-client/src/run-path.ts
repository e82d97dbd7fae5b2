import { RunsApiError } from './runs-api-error.ts';

/** Ids are opaque, but an empty one or a dot would lead elsewhere. */
export function runPath(runId: string, below = ''): string {
  if (/^\.{0,2}$/.test(runId)) {
    const message = `"${runId}" isn't a run id; nothing was sent`;
    throw new RunsApiError({ code: 'invalid_request', message, sent: false });
  }
  return `/agent/runs/${encodeURIComponent(runId)}${below}`;
}
