/** People and services that start runs outside Slack: the picker's options, and what was picked. */

import { atMost } from 'base/at-most';
import { LRUCache } from 'lru-cache';
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { RunCreators } from '../../../store/people/run-creators.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import type { RunConnections } from '../../configuration/run-connections.ts';
import type { OwnRuns } from '../../runs/reading/own-runs.ts';
import { creatorName } from '../../runs/showing/run-rows.ts';
import { shorten } from '../../text/escape-text.ts';
import {
  inGroups,
  option,
  optionGroup,
  optionLimits,
  type SearchAnswer,
} from '../../text/form-inputs.ts';
import type { ApiCreator } from '../filter/home-filter.ts';
import { emailOf } from './service-identity.ts';

type ApiCreatorParts = {
  creators: RunCreators;
  requests: Pick<Requests, 'findOfRuns'>;
  readOwnRuns(connectionId: string): Pick<OwnRuns, 'list' | 'serviceId'>;
  /** Everyone sees the creators, so people's own keys don't count. */
  connections: Pick<RunConnections, 'usualOfAll'>;
};

export type ApiCreators = ReturnType<typeof createApiCreators>;

/** Slack waits three seconds for the options of a picker. */
const callOptions = { timeoutMs: 1_500, maxRetries: 0 } as const;
const freshMs = 60_000;
const newestRuns = 100;

/** The runs API doesn't list creators, so those of runs seen so far are offered. */
export function createApiCreators(parts: ApiCreatorParts) {
  const { creators, requests } = parts;
  const lookedAt = new Map<string, number>();
  /** By email address; personal data, so only in memory. */
  const uids = new LRUCache<string, string>(atMost(10_000));

  function learnUids(seen: readonly Run[]): void {
    for (const run of seen) {
      const [email, uid] = [emailOf(run), run.creator?.uid];
      if (email && uid) uids.set(email, uid);
    }
  }

  /** Remembers who started these runs, all of them outside Slack. */
  async function note(teamId: string, seen: readonly Run[]): Promise<void> {
    learnUids(seen);
    const named = new Map(
      seen.flatMap((run) => {
        const by = creatorOf(run);
        return by ? [[writeApiCreator(by), { value: writeApiCreator(by), name: by.name }]] : [];
      }),
    );
    await creators.note(teamId, [...named.values()], Date.now());
  }

  /** At most once a minute, for creators of runs that no one has listed yet. */
  async function lookAtNewest(teamId: string): Promise<void> {
    if ((lookedAt.get(teamId) ?? 0) > Date.now() - freshMs) return;
    lookedAt.set(teamId, Date.now());
    try {
      const query = { limit: newestRuns, sort_by: 'created_at', sort_order: 'desc' } as const;
      const runs = parts.readOwnRuns(await parts.connections.usualOfAll());
      const page = await runs.list(query, callOptions);
      const ours = await requests.findOfRuns(runs.serviceId, page.runs);
      await note(
        teamId,
        page.runs.filter((run) => !ours.has(run.run_id)),
      );
    } catch (error) {
      if (!(error instanceof RunsApiError)) throw error;
      // Known creators are still offered.
      lookedAt.delete(teamId);
    }
  }

  return {
    note,
    /** The service's ID of the creator with this address, in lower case, if a run said it. */
    async uidOf(teamId: string, email: string): Promise<string | undefined> {
      if (!uids.has(email)) await lookAtNewest(teamId);
      return uids.get(email);
    },
    async offer(teamId: string, query: string): Promise<SearchAnswer> {
      await lookAtNewest(teamId);
      return offerCreators(await creators.list(teamId), query);
    },
  };
}

function offerCreators(
  known: readonly { value: string; name: string }[],
  query: string,
): SearchAnswer {
  const wanted = query.trim();
  const fitting = known.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  const names = fitting.map(({ name }) => name);
  const isAmbiguous = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  const options = fitting.slice(0, optionLimits.options).map(({ name, value }) => {
    const by = readApiCreator(value, name);
    return option(isAmbiguous(name) && by?.uid ? `${name} (${by.uid})` : name, value);
  });
  const cut = fitting.length > options.length;
  const label = cut
    ? `Newest ${options.length} of ${fitting.length}. Type to narrow.`
    : 'Creators outside Slack';
  const byHand = wanted === '' ? [] : byHandOption(wanted);
  return inGroups([...optionGroup(label, options), ...optionGroup('By ID', byHand)]);
}

function byHandOption(uid: string) {
  const value = writeApiCreator({ uid, name: uid });
  return [...value].length > optionLimits.value ? [] : [option(`Creator ID ${uid}`, value)];
}

/** Undefined for creators without a name or ID, or with an ID too long for an option. */
function creatorOf(run: Run): ApiCreator | undefined {
  // No database stores this character in text.
  const name = creatorName(run).replaceAll('\u0000', '');
  const uid = run.creator?.uid || undefined;
  if (uid?.includes('\u0000')) return undefined;
  if (!uid && !(run.creator?.display_name || run.creator?.email)) return undefined;
  const by = { ...(uid && { uid }), name: shorten(name, 100) };
  return [...writeApiCreator(by)].length <= optionLimits.value ? by : undefined;
}

export const writeApiCreator = ({ uid, name }: ApiCreator): string =>
  uid === undefined ? `name:${name}` : `uid:${uid}`;

export function readApiCreator(value: string, name: string): ApiCreator | undefined {
  const [, kind, rest] = /^(uid|name):([\s\S]+)$/.exec(value) ?? [];
  if (!kind || !rest) return undefined;
  return kind === 'uid' ? { uid: rest, name: name || rest } : { name: rest };
}
