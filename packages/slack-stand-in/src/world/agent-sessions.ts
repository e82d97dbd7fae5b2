import type { AppEvents } from '../deliveries/app-events.ts';
import type { Changes } from '../lib/changes.ts';
import type { Clock } from '../lib/ids.ts';
import type { AppManifest } from '../manifest.ts';
import { agentSessionStopped } from '../payloads/event.ts';
import { ApiError, invalidArguments } from '../web-api/api-error.ts';
import { findMessage } from './directory.ts';
import type { AgentSession, Channel, Installation, World } from './world.ts';

export const sessionStatuses = ['active', 'processing', 'suspended', 'closed'] as const;
type SessionStatus = (typeof sessionStatuses)[number];

/** Time in ms after which Slack ends `processing` if the app doesn't set it again. */
export const processingMs = 60 * 60_000;
const longestTitle = 200;
const stopEvent = 'agent_session_stopped';

type AgentSessionsDeps = {
  world: World;
  manifest: AppManifest;
  changes: Changes;
  clock: Clock;
  events: AppEvents;
};

type StatusUpdate = {
  status: SessionStatus;
  threadTs: string;
  title?: string | undefined;
  initiatorId?: string | undefined;
};

/** Returns true if the thread exists. A thread with replies still exists after its first message is deleted. */
function hasThread(world: World, channelId: string, threadTs: string): boolean {
  const root = findMessage(world, channelId, threadTs);
  if (root) return !root.visibleTo && (root.threadTs ?? root.ts) === root.ts;
  const messages = world.messages[channelId] ?? [];
  return messages.some((each) => each.threadTs === threadTs && !each.visibleTo);
}

/** Returns a session's status as people see it at the given time. */
export const shownStatus = ({ status, setAtMs }: AgentSession, nowMs: number): SessionStatus =>
  status === 'processing' && nowMs >= setAtMs + processingMs ? 'active' : status;

/** Stores the threads in which the app works as an agent, with the status and title that it set. */
export class AgentSessions {
  readonly #deps: AgentSessionsDeps;

  constructor(deps: AgentSessionsDeps) {
    this.#deps = deps;
  }

  find(channelId: string, threadTs: string): AgentSession | undefined {
    return this.#deps.world.sessions.find(
      (each) => each.channelId === channelId && each.threadTs === threadTs,
    );
  }

  /** Returns the status of the app's session in a thread, as people see it now. */
  shown(channelId: string, threadTs: string): SessionStatus | undefined {
    const session = this.find(channelId, threadTs);
    return session && shownStatus(session, Date.now());
  }

  /** True if the app subscribes to the stop event. Otherwise, Slack shows no Stop button. */
  get canBeStopped(): boolean {
    return this.#deps.manifest.settings.event_subscriptions.bot_events.includes(stopEvent);
  }

  /** Sets the status of a session. The title applies only to a new session. */
  setStatus(installation: Installation, channel: Channel, update: StatusUpdate): AgentSession {
    const { world, manifest, changes } = this.#deps;
    const isAgent = manifest.features.agent_view !== undefined;
    if (!isAgent || !channel.memberIds.includes(installation.botUserId))
      throw new ApiError('not_authorized');
    const { status, threadTs, title = '', initiatorId } = update;
    if (!hasThread(world, channel.id, threadTs))
      throw invalidArguments(['[ERROR] no such thread [json-pointer:/thread_ts]']);
    if ([...title].length > longestTitle)
      throw invalidArguments(['[ERROR] must be at most 200 characters [json-pointer:/title]']);
    if (initiatorId !== undefined && !channel.memberIds.includes(initiatorId))
      throw new ApiError('user_not_found');
    const existing = this.find(channel.id, threadTs);
    const session = existing ?? { channelId: channel.id, threadTs, title, status, setAtMs: 0 };
    if (!existing) world.sessions.push(session);
    Object.assign(session, { status, setAtMs: Date.now() });
    changes.emit({ type: 'session', channelId: channel.id, threadTs });
    return session;
  }

  /** Sends the app the stop event, as when a person clicks Stop. The status stays until the app changes it. */
  async stop(channelId: string, threadTs: string, userId: string): Promise<void> {
    const { clock, events } = this.#deps;
    const isWorking = this.shown(channelId, threadTs) === 'processing';
    if (!isWorking || !this.canBeStopped) throw new Error('There is nothing to stop here.');
    const event = agentSessionStopped({ channelId, threadTs, userId, ts: clock.nextTs() });
    await events.inChannel(channelId, stopEvent, event);
  }
}

type ShownSuggestions = { title: string; prompts: { title: string; message: string }[] };

/**
 * Returns the prompts that the app suggested below the newest message. In an empty conversation, returns those of the
 * manifest.
 */
export function suggestionsIn(
  world: World,
  { features }: AppManifest,
  channelId: string,
): ShownSuggestions {
  const newest = world.messages[channelId]?.at(-1)?.ts ?? '';
  const set = world.suggestions[channelId];
  if (set?.below === newest) return { title: set.title, prompts: set.prompts };
  const first = newest === '' ? (features.agent_view?.suggested_prompts ?? []) : [];
  return { title: '', prompts: first };
}
