/** The one way in: every feature that starts a run hands over a {@link RunStart}. */
import type { WebClient } from '@slack/web-api';
import type { AgentConfig } from 'runs-client/contract';
import { readableLine } from '../../lib/readable-text.ts';
import type { StartLimits } from '../../store/accept-request.ts';
import type { RequestOrigin } from '../../store/request-origin.ts';
import type { RunRequest } from '../../store/request-row.ts';
import type { Requests } from '../../store/requests.ts';
import type { Preset } from '../configuration/presets.ts';
import type { Asker } from '../configuration/run-defaults.ts';
import type { Rights } from '../people/rights.ts';
import type { SlackBudget } from '../posting/slack-budget.ts';
import { shownText } from '../secrets/mask-secrets.ts';
import { firstLine, shorten } from '../text/blocks.ts';
import { durationText } from '../text/duration.ts';

export const titleLimit = 150;

/** What a person has asked for so far; the form is filled from it. */
export type RunDraft = {
  channelId: string;
  prompt: string;
  title?: string | undefined;
  /** What was typed, without defaults. */
  typed: AgentConfig;
  preset?: Preset | undefined;
  /** What an earlier run was asked for. Then `typed` is the whole configuration: no defaults are added. */
  repeats?: Pick<RunStart, 'prompt' | 'title' | 'config'> | undefined;
  origin: RequestOrigin;
  /** What the masks in the prompt stand for. */
  secrets?: Readonly<Record<string, string>>;
  /** Said above the fields, in mrkdwn. */
  notices?: readonly string[];
  /** Without the thread that is learnt later the prompt means nothing. */
  needsThread?: boolean;
};

/** What is learnt while the form is already open: text that may go with the prompt. */
export type DraftContext = {
  context: string;
  messages: number;
  /** Of the thread, but too many to go along. */
  left?: number | undefined;
  secrets: Readonly<Record<string, string>>;
  /** The person has asked for it already, so its tick is set. */
  isWanted?: boolean;
  /** Of the source message. */
  permalink?: string | undefined;
  /** Said above the fields, in mrkdwn. */
  notices: readonly string[];
};

/** Opens the form at once (a trigger is good for three seconds), then adds what `later` learns. */
export type OpenForm = (
  client: WebClient,
  to: { triggerId: string; asker: Asker },
  draft: RunDraft,
  later?: () => Promise<DraftContext | undefined>,
) => Promise<void>;

/** What somebody wants added to the prompt of an earlier run, secrets masked; notices are mrkdwn. */
export type AddedWords = {
  text: string;
  secrets: Readonly<Record<string, string>>;
  notices: readonly string[];
};

/** Opens the form filled from an earlier run. */
export type OpenAgain = (
  client: WebClient,
  to: { triggerId: string; userId: string },
  request: RunRequest,
  added?: AddedWords,
) => Promise<void>;

export type RunStart = {
  /** Derived from Slack's own delivery, so that a repeated delivery is the same request. */
  id: string;
  teamId: string;
  creatorId: string;
  channelId: string;
  prompt: string;
  /** Without one, the first line of the prompt is taken. */
  title: string;
  config: AgentConfig;
  origin: RequestOrigin;
  /** Whose runs are counted, for a reader who is not the creator; without it a refusal says "You have". */
  counted?: string;
  /** How long Slack may take to say who the creator is; as long as a call may take unless given. */
  lookupWaitMs?: number;
};

/**
 * `repeated`: this delivery had been accepted before, nothing was done. `visibleInMs` is how long Slack's limits hold back
 * the run message. A refusal's sentence is for the person.
 */
export type StartOutcome =
  | { outcome: 'accepted'; visibleInMs: number }
  | { outcome: 'repeated' }
  | { outcome: 'refused'; sentence: string };

/** A run message that comes sooner needs no announcement. */
const soonMs = 3_000;

/** What the person is told who would see nothing for a while; undefined when the message comes soon. */
export function busyChannelText(outcome: StartOutcome): string | undefined {
  if (outcome.outcome !== 'accepted' || outcome.visibleInMs <= soonMs) return undefined;
  return `Accepted. Your run is starting. Its message appears in about ${durationText(outcome.visibleInMs)} because this channel is busy.`;
}

/** Opens a modal of a feature. */
export type OpenModal = (
  client: WebClient,
  to: { triggerId: string; asker: Asker },
) => Promise<void>;

export type StartRun = (start: RunStart) => Promise<StartOutcome>;

type StarterParts = {
  requests: Pick<Requests, 'acceptWithin'>;
  limits: StartLimits;
  rights: Pick<Rights, 'refuseStart'>;
  budget: Pick<SlackBudget, 'reserve'>;
  wake(): void;
};

/** Stores the request and wakes the follower. When it has answered `accepted`, the request survives a crash. */
export function createRunStarter(parts: StarterParts): StartRun {
  const { requests, limits, rights, budget, wake } = parts;

  return async ({ counted = 'You have', lookupWaitMs, ...start }) => {
    const { teamId, creatorId: userId } = start;
    const sentence = await rights.refuseStart({ teamId, userId }, lookupWaitMs);
    if (sentence) return { outcome: 'refused', sentence };
    const title = start.title ? readableLine(shownText(start.title)) : titleFrom(start.prompt);
    const acceptedAt = Date.now();
    const answer = await requests.acceptWithin(limits, { ...start, title, acceptedAt });
    switch (answer.outcome) {
      case 'accepted': {
        const { id: requestId, channelId } = start;
        const visibleInMs = budget.reserve({ kind: 'post', channelId, requestId, isUrgent: true });
        wake();
        return { outcome: 'accepted', visibleInMs };
      }
      case 'repeated':
        return { outcome: 'repeated' };
      case 'too_many_today': {
        const again = durationText(answer.freeAt - acceptedAt);
        const sentence = `${counted} started ${runsWords(answer.used)} in the last 24 hours, and ${limits.runsPerDay} is the limit here. The next one can start in ${again}, or ask whoever runs this app to raise RUNS_PER_DAY.`;
        return { outcome: 'refused', sentence };
      }
      case 'too_many_live': {
        const are = answer.used === 1 ? 'is' : 'are';
        const sentence = `${runsWords(answer.used)} of this workspace ${are} going on, and ${limits.liveRuns} is the limit here. Wait until one has ended, cancel one, or ask whoever runs this app to raise LIVE_RUNS.`;
        return { outcome: 'refused', sentence };
      }
    }
  };
}

const runsWords = (count: number) => `${count} ${count === 1 ? 'run' : 'runs'}`;

/** What names a run for everybody, in one line: what its creator called it, or what they have asked for. */
export const titleFrom = (text: string): string => shorten(shownText(firstLine(text)), titleLimit);
