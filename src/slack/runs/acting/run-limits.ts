/** Adds to a run's limits whose spending it counts as, and the names of its caps for people. */
import type { WebClient } from '@slack/web-api';
import { withSoftTimeout } from 'base/time/soft-timeout';
import type { RunCap, RunLimits } from 'runs-client/run-limits';
import type { RuleCap, RuleLimits } from '../../../policy/rule-caps.ts';
import type { ReadNames } from '../../people/people.ts';
import type { UserGroups } from '../../people/user-groups.ts';
import { readSlackFailure } from '../../posting/slack-failure.ts';

/** Run whose limits are described. `personId` is the app itself for workflows. */
export type LimitedRun = {
  teamId: string;
  channelId: string;
  personId: string;
  environmentId: string | undefined;
};

export type DescribeLimits = (run: LimitedRun, limits: RuleLimits) => Promise<RunLimits>;

type Deps = {
  client: Pick<WebClient, 'conversations'>;
  readNames: ReadNames;
  groups: Pick<UserGroups, 'list'>;
  /** Max time to wait for each name, in ms. Caps apply without names, too. */
  waitMs: number;
};

const maxNameLength = 100;

/**
 * Creates the function that describes limits for the runs service. It's called before a request is stored, so that each
 * attempt to create the run sends the same names.
 */
export function createLimitDescriber({ client, readNames, groups, waitMs }: Deps): DescribeLimits {
  /** Returns the channel's name. Undefined for private conversations, which aren't named outside them. */
  async function readChannelName(channel: string): Promise<string | undefined> {
    try {
      const { channel: found } = await client.conversations.info({ channel });
      const isPublic = found?.is_private === false && !found.is_im && !found.is_mpim;
      return isPublic && found.name ? `#${found.name}` : undefined;
    } catch (error) {
      readSlackFailure(error);
      return undefined;
    }
  }

  async function readName(
    { scope, group }: RuleCap,
    { channelId, personId, environmentId }: LimitedRun,
  ): Promise<string | undefined> {
    switch (scope) {
      case 'person':
        return (await readNames([personId])).get(personId);
      case 'channel':
        return readChannelName(channelId);
      case 'group':
        return (await groups.list()).find(({ id }) => id === group)?.name;
      case 'environment':
        return environmentId;
      case 'run':
      case 'workspace':
        return undefined;
    }
  }

  return async (run, { models, caps }) => {
    const named = caps.map(async (cap): Promise<RunCap> => {
      const name = await withSoftTimeout(readName(cap, run), waitMs);
      return { ...cap, ...(name && { name: [...name].slice(0, maxNameLength).join('') }) };
    });
    return {
      workspace: run.teamId,
      person: run.personId,
      channel: run.channelId,
      ...(models && { models: [...models] }),
      ...(caps.length > 0 && { caps: await Promise.all(named) }),
    };
  };
}
