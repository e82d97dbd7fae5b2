/** Decides whose keys someone can use when they act on an existing run. */
import type { AgentConfig } from 'runs-client/contract';
import { type PolicyCase, policyForActor, rulingOn } from '../../policy/ruling.ts';
import { denyByRule, denyConfig } from '../../policy/ruling-sentences.ts';
import { type Authority, authorize } from '../../requests/authority.ts';
import { isOwnKey } from '../../requests/connection.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Actors } from './actors.ts';
import { type Denial, denyFollowUp, denyKeys, type KeyedAct } from './permissions.ts';
import type { PolicyPlace } from './policies.ts';
import type { Asker } from './setting.ts';

export type KeyedRun = Pick<
  RunRequest,
  'creatorId' | 'authority' | 'teamId' | 'channelId' | 'config' | 'connectionId' | 'origin'
> & { id?: string };

/** Permission to act, or a denial. `ask` is the user ID of the keys' owner, who can agree. */
export type Authorized = { authority: Authority } | { denial: Denial; ask?: string };

/** Reads MCP servers of configurations. `configuration/keyed-servers.ts` implements it. */
export type McpServerReader = {
  /** Returns the servers in the workspace's defaults. Everyone can use them, because admins chose them. */
  ofWorkspace(teamId: string): Promise<AgentConfig['mcp_servers']>;
  /**
   * Returns true if a run has servers with a person's keys. For the run's creator, any such server applies. For others,
   * only servers that they don't have apply.
   */
  usesPersonalKeys(asker: Asker, run: KeyedRun): Promise<boolean>;
};

export type KeyRights = ReturnType<typeof createKeyRights>;

export function createKeyRights(deps: {
  actors: Actors;
  policyFor(place: PolicyPlace): Promise<PolicyCase>;
  servers: McpServerReader;
  waitMs: number | undefined;
}) {
  const { actors, policyFor, servers, waitMs } = deps;
  async function authorizeKeys(
    run: KeyedRun,
    userId: string,
    wanted: KeyedAct,
  ): Promise<Authorized> {
    const { creatorId, teamId, channelId, connectionId, origin } = run;
    const asker = { teamId, userId, channelId };
    const usesOwnKeys =
      run.authority.keysOf !== null &&
      (isOwnKey(connectionId) ||
        // Allow publishing with any servers, because it doesn't involve an agent.
        (wanted !== 'publish' && (await servers.usesPersonalKeys(asker, run))));
    const rule = rulingOn(await policyFor(asker), 'borrow_keys');
    const decided = authorize({
      actorId: userId,
      creatorId,
      usesOwnKeys,
      isAllowed: origin?.sharesKeys === true,
      rule: rule.isUnknown ? 'unknown' : rule.value,
    });
    if (!('denied' in decided)) return { authority: decided };
    return { denial: denyKeys(decided.denied, wanted, { creatorId, rule }), ask: creatorId };
  }

  return {
    authorizeKeys,

    /** Decides if someone can send a message to an active run. */
    async authorizeMessage(asker: RunViewer, run: KeyedRun): Promise<Authorized> {
      const { teamId, userId } = asker;
      const [actor, read] = await Promise.all([
        actors.read(asker, waitMs),
        policyFor({ teamId, userId, channelId: run.channelId }),
      ]);
      const policy = policyForActor(read, actor);
      const [act, effect] = ['sending messages to agents', 'nothing was sent'];
      const denial =
        denyFollowUp(actor) ??
        denyByRule(rulingOn(policy, 'start'), act, effect) ??
        denyConfig(policy, run.config, effect)?.sentence;
      return denial ? { denial } : authorizeKeys(run, userId, 'message');
    },
  };
}
