import type { AppEvents } from '../deliveries/app-events.ts';
import type { Changes } from '../lib/changes.ts';
import type { Clock } from '../lib/ids.ts';
import type { AppManifest } from '../manifest.ts';
import { agentSessionStopped } from '../payloads/agent-session.ts';
import { ApiError, invalidArguments } from '../web-api/api-error.ts';
import { findMessage } from './directory.ts';
import type { AgentSession, Channel, Installation, World } from './world.ts';

export const sessionStatuses = ['active', 'processing', 'suspended', 'closed'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

/** Slack ends `processing` if the app doesn't set it again. */
export const processingMs = 60 * 60_000;
const longestTitle = 200;
const stopEvent = 'agent_session_stopped';

type Parts = {
  world: World;
  manifest: AppManifest;
  changes: Changes;
  clock: Clock;
  events: AppEvents;
};

type Wanted = {
  status: SessionStatus;
  threadTs: string;
  title?: string | undefined;
  initiatorId?: string | undefined;
};

/** A thread outlives its first message while it has replies. */
function hasThread(world: World, channelId: string, threadTs: string): boolean {
  const root = findMessage(world, channelId, threadTs);
  if (root) return !root.visibleTo && (root.threadTs ?? root.ts) === root.ts;
  const messages = world.messages[channelId] ?? [];
  return messages.some((each) => each.threadTs === threadTs && !each.visibleTo);
}

/** What people see of a session at this time (epoch milliseconds). */
export const shownStatus = ({ status, setAtMs }: AgentSession, nowMs: number): SessionStatus =>
  status === 'processing' && nowMs >= setAtMs + processingMs ? 'active' : status;

/** The threads in which the app works as an agent, and what it says about them. */
export class AgentSessions {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  find(channelId: string, threadTs: string): AgentSession | undefined {
    return this.#parts.world.sessions.find(
      (each) => each.channelId === channelId && each.threadTs === threadTs,
    );
  }

  /** Slack shows a Stop button only to apps that hear of it. */
  get canBeStopped(): boolean {
    return this.#parts.manifest.settings.event_subscriptions.bot_events.includes(stopEvent);
  }

  /** Title and initiator only count for a new session. */
  setStatus(installation: Installation, channel: Channel, wanted: Wanted): AgentSession {
    const { world, manifest, changes } = this.#parts;
    const isAgent = manifest.features.agent_view !== undefined;
    if (!isAgent || !channel.memberIds.includes(installation.botUserId))
      throw new ApiError('not_authorized');
    const { status, threadTs, title = '', initiatorId } = wanted;
    if (!hasThread(world, channel.id, threadTs))
      throw invalidArguments(['[ERROR] no such thread [json-pointer:/thread_ts]']);
    if ([...title].length > longestTitle)
      throw invalidArguments(['[ERROR] must be at most 200 characters [json-pointer:/title]']);
    if (initiatorId !== undefined && !channel.memberIds.includes(initiatorId))
      throw new ApiError('user_not_found');
    const known = this.find(channel.id, threadTs);
    const session = known ?? { channelId: channel.id, threadTs, title, status, setAtMs: 0 };
    if (!known) world.sessions.push(session);
    Object.assign(session, { status, setAtMs: Date.now() });
    changes.emit({ type: 'session', channelId: channel.id, threadTs });
    return session;
  }

  /** A person presses Stop. The status stays until the app changes it. */
  async stop(channelId: string, threadTs: string, userId: string): Promise<void> {
    const { clock, events } = this.#parts;
    const session = this.find(channelId, threadTs);
    const isWorking = session && shownStatus(session, Date.now()) === 'processing';
    if (!isWorking || !this.canBeStopped) throw new Error('There is nothing to stop here.');
    const event = agentSessionStopped({ channelId, threadTs, userId, ts: clock.nextTs() });
    await events.inChannel(channelId, stopEvent, event);
  }
}
