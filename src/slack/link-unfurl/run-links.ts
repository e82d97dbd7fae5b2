import { RunsApiError } from 'runs-client/runs-api-error';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import type { FoundRun, OwnRuns, ReadOwnRuns } from '../runs/reading/own-runs.ts';
import { placeOfLink } from '../runs/run-ref.ts';

type RunLinkDeps = {
  requests: Pick<Requests, 'findBySession' | 'findByMessage' | 'findByRunIds'>;
  readOwnRuns: ReadOwnRuns;
  /** Connections to read runs with. Only the workspace's default is used, because everyone sees the cards. */
  connections: Pick<RunConnections, 'usualOfAll'>;
  unfurlDomains: readonly string[];
};

const callOptions = { timeoutMs: 3_000, maxRetries: 1 } as const;
/** Min and max length of a run ID in an address. */
const shortestId = 6;
const longestId = 128;

export type RunLinks = ReturnType<typeof createRunLinks>;

export function createRunLinks({ requests, readOwnRuns, connections, unfurlDomains }: RunLinkDeps) {
  /** Returns true for a link on one of the configured domains. The app reads no other links. */
  function isRunLink(url: string): boolean {
    if (!URL.canParse(decoded(url))) return false;
    const { hostname } = new URL(decoded(url));
    return unfurlDomains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
  }

  /** Finds the run of a link. The link is to the run's message or session, or contains the run's ID. */
  async function read(teamId: string, url: string): Promise<FoundRun | undefined> {
    if (!isRunLink(url)) return undefined;
    const address = decoded(url);
    const place = placeOfLink(address);
    if (place) {
      const request = await requests.findByMessage(teamId, place);
      return request && { request };
    }
    const request = await requests.findBySession(teamId, spellingsOf(address));
    if (request) return { request };
    const ids = idsIn(new URL(address));
    const runs = readOwnRuns(await connections.usualOfAll());
    const found = await requests.findByRunIds(runs.serviceId, ids.all);
    const ours = found.find((each) => each.teamId === teamId);
    if (ours) return { request: ours };
    return found.length > 0 || !ids.ofRun ? undefined : fetchRun(runs, ids.ofRun);
  }

  return { isRunLink, read };
}

const decoded = (url: string) => url.replaceAll('&amp;', '&');

/** Returns the address with and without its fragment, query and last slash, because people change those. */
function spellingsOf(address: string): string[] {
  const [bare = ''] = address.split('#', 1);
  const [path = ''] = bare.split('?', 1);
  const all = [address, bare, path].flatMap((each) => {
    const trimmed = each.replace(/\/$/, '');
    return [each, trimmed, `${trimmed}/`];
  });
  return [...new Set(all)];
}

/**
 * Returns the possible run IDs in an address. `ofRun` is the one in `/runs/…` or `run_id`, which the runs service may
 * know.
 */
function idsIn({ pathname, searchParams }: URL): { all: string[]; ofRun: string | undefined } {
  const parts = pathname.split('/').map(decode);
  const query = searchParams.get('run_id') ?? searchParams.get('run') ?? '';
  const isId = (part: string | undefined): part is string =>
    part !== undefined && part.length >= shortestId && part.length <= longestId;
  const behind = parts.find((_, index) => /^runs?$/.test(parts[index - 1] ?? ''));
  return { all: [...parts, query].filter(isId), ofRun: [query, behind].find(isId) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('\u0000', '');
  } catch {
    return part;
  }
}

async function fetchRun(runs: OwnRuns, runId: string): Promise<FoundRun | undefined> {
  try {
    return await runs.find(runId, callOptions);
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    // Show no card for this link, like for a link without a run.
    return undefined;
  }
}
