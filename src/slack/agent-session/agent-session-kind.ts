import type { WebClient } from '@slack/web-api';
import { entryLimit } from 'base/entry-limit';
import type { Logger } from 'base/logger';
import { LRUCache } from 'lru-cache';
import type { StatusKind, StatusOutcome } from '../../outbox/post-kind.ts';
import type { Post } from '../../store/outbox/outbox-row.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { Requests } from '../../store/requests/requests.ts';
import { acceptsPlainReplies } from '../configuration/preferences.ts';
import type { GrantedScopes } from '../connection/installations/granted-scopes.ts';
import { readWriteFailure, type SlackBudget } from '../posting/slack-budget.ts';
import {
  type AgentSession,
  readSession,
  type SessionStatus,
  threadStatusOf,
} from '../runs/agent-session.ts';
import { shorten } from '../text/escape-text.ts';

type KindDeps = {
  client: Pick<WebClient, 'agents'>;
  granted: Pick<GrantedScopes, 'has'>;
  budget: SlackBudget;
  requests: Pick<Requests, 'liveInThread' | 'findOfThread'>;
  settings: Pick<Settings, 'read'>;
  logger: Logger;
};

/** Time until `processing` is set again, in ms. Slack ends it after an hour. */
const renewAfterMs = 50 * 60_000;
const withoutMs = 60 * 60_000;
const longestTitle = 200;
/** Scope of apps that are declared as agents. Slack doesn't require it for these calls. */
const agentScope = 'assistant:write';
/** Slack's errors if the workspace or the app has no agent sessions. */
const notOffered = new Set(['feature_disabled', 'missing_scope', 'unknown_method']);
/** Slack's errors while the app isn't in the channel. The status is set again once the app is back. */
const outsideChannel = new Set(['not_authorized', 'channel_not_found', 'is_archived']);
/** Max tries to set a status, over about an hour. Slack then ends `processing` itself. */
const maxTries = 60;

/**
 * Creates the status line that Slack shows above a run's thread, with Stop while the run is in progress. There is one
 * row per thread, because two runs in it would overwrite each other's status. A status is forgotten before each call.
 * After a crash or a lost answer it's set again, which is safe. Bolt's `setStatus` isn't used, because Slack retires
 * its method in 2027.
 */
export function createAgentSessionKind({
  client,
  granted,
  budget,
  requests,
  settings,
  logger,
}: KindDeps): StatusKind {
  const without = new LRUCache<string, true>({ ...entryLimit(10_000), ttl: withoutMs });
  let isLogged = false;

  async function set(
    post: Post,
    session: AgentSession,
    status: SessionStatus,
  ): Promise<StatusOutcome> {
    const { channelId, initiatorId } = session;
    const first = await call(session, status, initiatorId);
    // Try again without the person who started the run, who may have left the workspace.
    const isGone = first.outcome === 'rejected' && first.reason === 'user_not_found';
    const outcome = isGone ? await call(session, status, null) : first;
    if (outcome.outcome === 'set') without.delete(channelId);
    if (outcome.outcome !== 'rejected') return outcome;
    const { reason } = outcome;
    if (post.state === 'posted' && outsideChannel.has(reason) && post.failures < maxTries)
      return { outcome: 'later', reason, retryAfterMs: 0, isUndone: true, isQuiet: true };
    // Give up only this channel if the app isn't in it. In direct messages, `not_authorized` means that the app
    // isn't declared as an agent.
    const isChannel = reason === 'not_authorized' && !channelId.startsWith('D');
    if (reason !== 'not_authorized' && !notOffered.has(reason)) return outcome;
    without.set(isChannel ? channelId : '', true);
    if (!isLogged) logger.warn({ reason, post: post.id }, withoutSessions);
    isLogged = true;
    return outcome;
  }

  async function call(
    { channelId, threadTs, title }: AgentSession,
    status: SessionStatus,
    initiatorId: string | null,
  ): Promise<StatusOutcome> {
    try {
      await client.agents.sessions.setStatus({
        channel_id: channelId,
        thread_ts: threadTs,
        status,
        title: shorten(title, longestTitle),
        ...(initiatorId && { initiator_user_id: initiatorId }),
      });
      return { outcome: 'set' };
    } catch (error) {
      return readWriteFailure(budget, { kind: 'session', channelId }, error);
    }
  }

  return {
    async readStatus(post) {
      const session = readSession(post.content);
      const { channelId, threadTs } = session;
      const live = await requests.liveInThread(post.teamId, { channelId, threadTs });
      // Set no first status if the thread has no live run or sessions are off. A status that Slack already shows
      // still has to change.
      const isUnasked = post.beganAt === null;
      const isOff = !granted.has(agentScope) || without.has('') || without.has(channelId);
      if (isUnasked && (live.length === 0 || isOff)) return undefined;
      const isOwn = await requests.findOfThread(post.teamId, { channelId, threadTs });
      // Set no status in a thread that is gone, because the message that started it was replaced.
      const isGone = !isOwn && post.request?.origin?.threadTs !== threadTs;
      if (live.length === 0 && isGone) return undefined;
      const continues = isOwn && (await acceptsPlainReplies(settings, { ...post, channelId }));
      const status = threadStatusOf(continues === true, live);
      return {
        status,
        lastsMs: status === 'processing' ? renewAfterMs : null,
        waitMs: () =>
          budget.takeShared({ kind: 'session', channelId, requestId: post.id, priority: 'usual' }),
        set: () => set(post, session, status),
      };
    },
  };
}

const withoutSessions =
  'Slack shows no agent sessions here: the app is not declared as an agent, or is not in the channel. Runs work without.';
