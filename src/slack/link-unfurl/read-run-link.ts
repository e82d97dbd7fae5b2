import { RunsApiError } from 'runs-client/runs-api-error';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import type { FoundRun, OwnRuns, ReadOwnRuns } from '../runs/reading/own-runs.ts';
import { placeOfLink } from '../runs/run-ref.ts';

export type RunLinkParts = {
  requests: Pick<Requests, 'findBySession' | 'findByMessage' | 'findByRunIds'>;
  readOwnRuns: ReadOwnRuns;
  /** A card shows what everyone may know, so people's own keys don't count. */
  connections: Pick<RunConnections, 'usualOfAll'>;
  runLinkDomains: readonly string[];
};

const callOptions = { timeoutMs: 3_000, maxRetries: 1 } as const;
/** Shorter and longer parts of an address aren't run ids. */
const shortestId = 6;
const longestId = 128;

/** Finds the run behind a link to its session or message, or with its id. */
export async function readRunLink(
  { requests, readOwnRuns, connections, runLinkDomains }: RunLinkParts,
  teamId: string,
  url: string,
): Promise<FoundRun | undefined> {
  if (!isRunLink({ runLinkDomains }, url)) return undefined;
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
  const known = await requests.findByRunIds(runs.serviceId, ids.all);
  const ours = known.find((each) => each.teamId === teamId);
  if (ours) return { request: ours };
  return known.length > 0 || !ids.ofRun ? undefined : fetchRun(runs, ids.ofRun);
}

/** Only links on these domains are looked up. */
export function isRunLink(
  { runLinkDomains }: Pick<RunLinkParts, 'runLinkDomains'>,
  url: string,
): boolean {
  if (!URL.canParse(decoded(url))) return false;
  const { hostname } = new URL(decoded(url));
  return runLinkDomains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
}

const decoded = (url: string) => url.replaceAll('&amp;', '&');

/** With and without what people change at the end of an address. */
function spellingsOf(address: string): string[] {
  const [bare = ''] = address.split('#', 1);
  const [path = ''] = bare.split('?', 1);
  const all = [address, bare, path].flatMap((each) => {
    const trimmed = each.replace(/\/$/, '');
    return [each, trimmed, `${trimmed}/`];
  });
  return [...new Set(all)];
}

/** `ofRun`: from `/runs/…` or `run_id`, so the service can be asked for it. */
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
    // Shown without a card, like a link without a run.
    return undefined;
  }
}
