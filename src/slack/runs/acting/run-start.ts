/** Starts runs. Every feature that starts a run passes a {@link RunStart}. */
import type { WebClient } from '@slack/web-api';
import { readableLine } from 'base/readable-text';
import { shownText } from 'base/secrets/mask-secrets';
import type { AgentConfig } from 'runs-client/contract';
import type { ConfigDenial } from '../../../policy/ruling-sentences.ts';
import { type Authority, continuedIn } from '../../../requests/authority.ts';
import type { RequestFile, RequestOrigin } from '../../../requests/origin.ts';
import type { ConversationPlace } from '../../../store/people/conversations.ts';
import type { Draft } from '../../../store/people/drafts.ts';
import type { StartLimits } from '../../../store/requests/accept-request.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import type { Preset } from '../../configuration/presets.ts';
import {
  connectionNameOf,
  noSuchConnection,
  type RunConnections,
} from '../../configuration/run-connections.ts';
import type { GrantedScopes } from '../../connection/installations/granted-scopes.ts';
import type { Rights } from '../../people/rights.ts';
import type { Asker } from '../../people/setting.ts';
import type { SlackBudget } from '../../posting/slack-budget.ts';
import { durationText } from '../../text/dates.ts';
import { limitSentence } from '../showing/limit-sentence.ts';
import { titleFrom } from '../showing/run-label.ts';
import type { Clicked } from './click.ts';
import type { DescribeLimits } from './run-limits.ts';

/** Initial values of the form. */
export type RunDraft = {
  channelId: string;
  prompt: string;
  title?: string | undefined;
  /** Options that the person typed, without defaults. */
  typed: AgentConfig;
  preset?: Preset | undefined;
  /** Earlier run to repeat. `typed` is then the whole configuration, and no defaults are added. */
  repeats?: Draft['repeats'];
  origin: RequestOrigin;
  /** ID of the conversation that the thread and files come from. Undefined if it's the run's channel. */
  sourceId?: string | undefined;
  /** Files to offer with the prompt. */
  files?: readonly RequestFile[] | undefined;
  /** Notices above the fields, as mrkdwn. */
  notices?: readonly string[];
  /** True if the prompt makes no sense without the thread, which is loaded later. */
  needsThread?: boolean;
};

/** Text to offer with the prompt, loaded while the form is open. */
export type DraftContext = {
  context: string;
  messages: number;
  /** Number of thread messages that didn't fit into the text. */
  left?: number | undefined;
  /** Files that are sent with the thread. */
  files?: readonly RequestFile[];
  /** True if the checkbox for this text starts checked. */
  isWanted?: boolean;
  /** Link to the source message. */
  permalink?: string | undefined;
  /** Notices above the fields, as mrkdwn. */
  notices: readonly string[];
};

/** Opens the form at once, because a trigger expires after three seconds, then adds the result of `later`. */
export type OpenForm = (
  client: WebClient,
  to: { triggerId: string; asker: Asker },
  draft: RunDraft,
  later?: () => Promise<DraftContext | undefined>,
) => Promise<void>;

/** Text to add to the prompt of an earlier run, with secrets masked. Notices are mrkdwn. */
export type AddedText = { text: string; notices: readonly string[] };

/** Opens the form filled from an earlier run. */
export type OpenAgain = (click: Clicked, request: RunRequest, added?: AddedText) => Promise<void>;

export type RunStart = {
  /** ID derived from the Slack delivery, so that a repeated delivery is the same request. */
  id: string;
  teamId: string;
  /** Person who starts the run, and owner of the keys and permissions. */
  authority: Authority;
  channelId: string;
  prompt: string;
  /** Text from Slack that is sent after the prompt, with secrets masked. */
  context?: string | null;
  /** Title. If it's empty, the first line of the prompt is used. */
  title: string;
  config: AgentConfig;
  /** Origin of the run and its conversation. The run starts a new conversation if this one can't be continued. */
  origin: RequestOrigin;
  /** True if nothing is started when the conversation can't be continued. */
  mustContinue?: boolean;
  /** Workflow step that starts the run, with the person that it names. Undefined for other starts. */
  workflow?: { personId: string | undefined };
  /** Max time in ms for Slack to say who the creator is. Set if a form waits. */
  lookupWaitMs?: number;
};

/**
 * Outcome of a start. `repeated` means that this delivery was accepted before. `visibleInMs` is the time until Slack's
 * rate limits allow the run message. `canPost` is false if the app isn't allowed to post it. `sentence` is for the
 * person who starts the run. `by` says what rejected it.
 */
type StartOutcome =
  | { outcome: 'accepted'; visibleInMs: number; canPost: boolean }
  | { outcome: 'repeated' }
  | { outcome: 'not continued' }
  | {
      outcome: 'rejected';
      by: 'rights' | 'limits' | 'connection';
      sentence: string;
      field?: ConfigDenial['field'];
    };

/** Max delay of a run message that needs no announcement, in ms. */
const soonMs = 3_000;

const withoutMessage =
  "Your run is starting. Slack doesn't let the app post here (`chat:write` is missing), so there's no run message. Follow it on the app's Home tab, and ask a workspace admin to reinstall the app.";

/** Returns a text for the person if the run message appears late or never. Returns undefined if it appears soon. */
export function busyChannelText(outcome: StartOutcome): string | undefined {
  if (outcome.outcome !== 'accepted') return undefined;
  if (!outcome.canPost) return withoutMessage;
  if (outcome.visibleInMs <= soonMs) return undefined;
  return `Your run is starting. This channel is busy, so the run message appears in about ${durationText(outcome.visibleInMs)}.`;
}

export type StartRun = (start: RunStart) => Promise<StartOutcome>;

/** Creates the function that stores a request and wakes the follower. An `accepted` request survives a crash. */
export function createRunStarter(parts: {
  connections: RunConnections;
  requests: Requests;
  limits: StartLimits;
  rights: Rights;
  promptRights: Rights;
  budget: SlackBudget;
  granted: GrantedScopes;
  describeLimits: DescribeLimits;
  wake(): void;
  /** Stores the run's conversation, so that the app asks Slack who can see it. */
  noteConversation(place: ConversationPlace): void;
}): StartRun {
  const { requests, limits, budget, wake } = parts;

  return async ({ workflow, lookupWaitMs, mustContinue, ...start }) => {
    const { teamId, authority, channelId, config } = start;
    const rights = lookupWaitMs === undefined ? parts.rights : parts.promptRights;
    const admission = await rights.admit(
      { teamId, authority, channelId, config, workflow },
      lookupWaitMs,
    );
    if ('denial' in admission) return { outcome: 'rejected', by: 'rights', ...admission.denial };
    const title = readableLine(shownText(start.title)) || titleFrom(start.prompt);
    const name = connectionNameOf(start.config);
    const serviceId = await parts.connections.find(name);
    if (!serviceId)
      return { outcome: 'rejected', by: 'connection', sentence: noSuchConnection(name ?? '') };
    const { actorId, keysOf } = authority;
    const connectionId = keysOf
      ? await parts.connections.through({ teamId, userId: keysOf }, serviceId)
      : serviceId;
    const { conversation: wanted, ...others } = start.origin;
    const conversation = continuedIn(wanted, { channelId, connectionId });
    if (mustContinue && !conversation) return { outcome: 'not continued' };
    const origin = { ...others, ...(conversation && { conversation }) };
    const creatorId = workflow?.personId ?? actorId;
    const acceptedAt = Date.now();
    const { activeRuns, startsPerHour } = admission;
    const own = { maxOwnActiveRuns: activeRuns?.most, maxOwnRunsPerHour: startsPerHour?.most };
    const runLimits = await parts.describeLimits(
      { teamId, channelId, personId: actorId, environmentId: config.environment_id },
      admission.limits,
    );
    const request = {
      ...start,
      creatorId,
      title,
      acceptedAt,
      connectionId,
      origin,
      limits: runLimits,
    };
    const answer = await requests.acceptWithin({ ...limits, ...own }, request);
    switch (answer.outcome) {
      case 'accepted': {
        const { id: requestId } = start;
        const visibleInMs = budget.reserve({
          kind: 'post',
          channelId,
          requestId,
          priority: 'urgent',
        });
        wake();
        parts.noteConversation({ teamId, conversationId: channelId });
        return { outcome: 'accepted', visibleInMs, canPost: parts.granted.has('chat:write') };
      }
      case 'repeated':
        return { outcome: 'repeated' };
      default: {
        const by = workflow ? 'workflow' : 'reader';
        const facts = { ...limits, activeRuns, startsPerHour, by, now: acceptedAt } as const;
        const sentence = limitSentence(answer, facts);
        return { outcome: 'rejected', by: 'limits', sentence };
      }
    }
  };
}
