/** Every feature that starts a run passes a {@link RunStart}. */
import type { WebClient } from '@slack/web-api';
import { readableLine } from 'base/readable-text';
import { shownText } from 'base/secrets/mask-secrets';
import type { AgentConfig } from 'runs-client/contract';
import type { ConfigRefusal } from '../../../policy/ruling-sentences.ts';
import { type Authority, continuedIn } from '../../../requests/authority.ts';
import type { RequestFile, RequestOrigin } from '../../../requests/origin.ts';
import type { ConversationPlace } from '../../../store/people/conversations.ts';
import type { Draft } from '../../../store/people/drafts.ts';
import type { StartLimits } from '../../../store/requests/accept-request.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import type { Preset } from '../../configuration/presets/presets.ts';
import {
  connectionNameOf,
  noSuchConnection,
  type RunConnections,
} from '../../configuration/run-connections.ts';
import type { Asker } from '../../configuration/run-defaults.ts';
import type { GrantedScopes } from '../../connection/installations/granted-scopes.ts';
import type { Rights } from '../../people/rights.ts';
import type { SlackBudget } from '../../posting/slack-budget.ts';
import { durationText } from '../../text/duration.ts';
import { firstLine, shorten } from '../../text/escape-text.ts';
import { limitSentence } from '../showing/limit-sentence.ts';
import type { Clicked } from './click.ts';

export const titleLimit = 150;

/** What the form is filled with. */
export type RunDraft = {
  channelId: string;
  prompt: string;
  title?: string | undefined;
  /** Typed options, without defaults. */
  typed: AgentConfig;
  preset?: Preset | undefined;
  /** The earlier run to repeat. `typed` is then the whole configuration, and no defaults are added. */
  repeats?: Draft['repeats'];
  origin: RequestOrigin;
  /** The Slack conversation that the thread and files are from. By default, the channel. */
  sourceId?: string | undefined;
  /** Offered to be sent with the prompt. */
  files?: readonly RequestFile[] | undefined;
  /** Shown above the fields, as mrkdwn. */
  notices?: readonly string[];
  /** The prompt makes no sense without the thread, which is loaded later. */
  needsThread?: boolean;
};

/** Loaded while the form is already open: text that can be sent with the prompt. */
export type DraftContext = {
  context: string;
  messages: number;
  /** Messages of the thread that didn't fit. */
  left?: number | undefined;
  /** Files of the thread, which are sent with it. */
  files?: readonly RequestFile[];
  /** Checks the box in the form. */
  isWanted?: boolean;
  /** To the source message. */
  permalink?: string | undefined;
  /** Shown above the fields, as mrkdwn. */
  notices: readonly string[];
};

/** Opens the form at once, because a trigger expires after three seconds, then adds what `later` loads. */
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
  /** Derived from the Slack delivery, so a repeated delivery is the same request. */
  id: string;
  teamId: string;
  /** The person who starts it, and whose keys and permissions apply. */
  authority: Authority;
  channelId: string;
  prompt: string;
  /** Text from Slack that is sent after the prompt, with secrets masked. */
  context?: string | null;
  /** Empty: use the first line of the prompt. */
  title: string;
  config: AgentConfig;
  /** Its conversation is left out where it can't continue. */
  origin: RequestOrigin;
  /** Starts nothing then. */
  mustContinue?: boolean;
  /** Started by a step of a workflow, which shows it as a run for this person. Someone else reads the refusal. */
  workflow?: { personId: string | undefined };
  /** For a form: how long Slack may take to say who the creator is. */
  lookupWaitMs?: number;
};

/**
 * `repeated`: this delivery was accepted before, and nothing was done. `visibleInMs`: how long Slack's rate limits delay
 * the run message, and `canPost` is false if Slack doesn't let the app post it. `sentence` is for the person who asked.
 */
type StartOutcome =
  | { outcome: 'accepted'; visibleInMs: number; canPost: boolean }
  | { outcome: 'repeated' }
  | { outcome: 'not continued' }
  | { outcome: 'refused'; sentence: string; field?: ConfigRefusal['field'] };

/** A run message that appears sooner isn't announced. */
const soonMs = 3_000;

const withoutMessage =
  "Your run is starting. Slack doesn't let the app post here (`chat:write` is missing), so there's no run message. Follow it on the app's Home tab, and ask a workspace admin to reinstall the app.";

/** For a person who would see nothing for a while; undefined when the message appears soon. */
export function busyChannelText(outcome: StartOutcome): string | undefined {
  if (outcome.outcome !== 'accepted') return undefined;
  if (!outcome.canPost) return withoutMessage;
  if (outcome.visibleInMs <= soonMs) return undefined;
  return `Your run is starting. This channel is busy, so the run message appears in about ${durationText(outcome.visibleInMs)}.`;
}

export type StartRun = (start: RunStart) => Promise<StartOutcome>;

type StarterParts = {
  connections: Pick<RunConnections, 'find' | 'through'>;
  requests: Pick<Requests, 'acceptWithin'>;
  limits: StartLimits;
  rights: Pick<Rights, 'admit'>;
  promptRights: Pick<Rights, 'admit'>;
  budget: Pick<SlackBudget, 'reserve'>;
  granted: Pick<GrantedScopes, 'has'>;
  wake(): void;
  /** Learns who may see the run. */
  noteConversation(place: ConversationPlace): void;
};

/** Stores the request and wakes the follower. An `accepted` request survives a crash. */
export function createRunStarter(parts: StarterParts): StartRun {
  const { requests, limits, budget, wake } = parts;

  return async ({ workflow, lookupWaitMs, mustContinue, ...start }) => {
    const { teamId, authority, channelId, config } = start;
    const asked = { teamId, authority, channelId, config, workflow };
    const rights = lookupWaitMs === undefined ? parts.rights : parts.promptRights;
    const admission = await rights.admit(asked, lookupWaitMs);
    if ('refusal' in admission) return { outcome: 'refused', ...admission.refusal };
    const title = readableLine(shownText(start.title)) || titleFrom(start.prompt);
    const name = connectionNameOf(start.config);
    const serviceId = await parts.connections.find(name);
    if (!serviceId) return { outcome: 'refused', sentence: noSuchConnection(name ?? '') };
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
    const own = { ownLiveRuns: activeRuns?.most, ownRunsPerHour: startsPerHour?.most };
    const request = { ...start, creatorId, title, acceptedAt, connectionId, origin };
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
        const facts = { ...limits, ...admission, by, now: acceptedAt } as const;
        const sentence = limitSentence(answer, facts);
        return { outcome: 'refused', sentence };
      }
    }
  };
}

/** One line that everyone sees as the run's title. */
export const titleFrom = (text: string): string => shorten(shownText(firstLine(text)), titleLimit);
