import type { Run } from 'runs-client/contract';
import type { RequestOrigin } from '../../../requests/origin.ts';
import { readRunCost } from '../../../requests/run-cost.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { countFiles, sizeText } from '../../files/message-files.ts';
import { hour } from '../../text/dates.ts';
import { escapeText, link } from '../../text/escape-text.ts';
import { dollars } from '../../text/money.ts';
import { describeMessageCount } from '../reading/prompt-context.ts';
import { earlierRunText } from './earlier-run.ts';
import { stepsDone } from './run-outcome.ts';

const factLimit = 100;

/**
 * Returns one line with the creator, time, environment, cost and plan. Slack renders the time in the reader's time
 * zone.
 */
export function contextLine(request: RunRequest): string {
  const { config, run, origin } = request;
  const environment = run?.agent_config?.environment_id ?? config.environment_id;
  return [
    creatorText(request),
    hour(request.acceptedAt),
    environment && oneLine(environment),
    origin?.files && countFiles(origin.files.length),
    costOf(run),
    planOfEnded(request),
    origin?.again && earlierRunText(origin.again),
  ]
    .filter(Boolean)
    .join('  ·  ');
}

/** Returns the plan's progress of an ended run. A plan in progress has its own block. */
function planOfEnded({ step, run }: RunRequest): string | undefined {
  const plan = run?.agent_progress?.plan;
  return step === 'ended' && plan && plan.length > 0 ? `Plan: ${stepsDone(plan)}` : undefined;
}

/** Returns who started a run, in mrkdwn. */
export function creatorText({
  creatorId,
  origin,
}: Pick<RunRequest, 'creatorId' | 'origin'>): string {
  if (origin?.automation) return automationText(origin.automation.name, `<@${creatorId}>`);
  if (!origin?.workflow) return `<@${creatorId}>`;
  const { name, hasPerson } = origin.workflow;
  const workflow = name ? `by workflow *${oneLine(name)}*` : 'by a workflow';
  return hasPerson ? `${workflow}, for <@${creatorId}>` : workflow;
}

/** @param owner mention or escaped name */
export const automationText = (name: string, owner: string): string =>
  `by automation *${oneLine(name)}*, for ${owner}`;

/** Names of the ways to start a run, as shown after "from". */
export const originWords: Record<RequestOrigin['kind'], string> = {
  command: '/agent',
  message: 'a message',
  shortcut: 'a shortcut',
  home: 'the Home tab',
  mention: 'a mention',
  reply: 'a reply',
  again: 'an earlier run',
  workflow: 'a workflow',
  automation: 'an automation',
};

type FiredBy = NonNullable<RequestOrigin['automation']>;

const firedWords: Record<FiredBy['trigger'], string> = {
  schedule: 'its schedule',
  webhook: 'a webhook',
  message: 'a message',
  reaction: 'a reaction',
  test: 'Start now',
};

/** Returns the origin with a link, in mrkdwn. For an automation, it's what fired it, and the person who did that. */
export function originFacts({ origin }: Pick<RunRequest, 'origin'>): string[] {
  if (!origin) return [];
  if (origin.kind === 'again' && origin.again) return [earlierRunText(origin.again)];
  const { automation, kind, source } = origin;
  const words = automation ? firedWords[automation.trigger] : originWords[kind];
  const person = automation?.by && /^[UW]/.test(automation.by) ? ` by <@${automation.by}>` : '';
  return [`from ${link(source?.permalink, words) || words}${person}`];
}

/** Returns facts about text and files from Slack that were sent with the prompt. */
export function contextFacts({ origin }: Pick<RunRequest, 'origin'>): string[] {
  const { context = { messages: 0, characters: 0, masked: 0 }, files = [] } = origin ?? {};
  const { messages, characters, masked } = context;
  const size = characters.toLocaleString('en-US');
  return [
    ...(messages > 0
      ? [`${describeMessageCount(context)} of the thread (${size} characters)`]
      : []),
    ...files.map(({ name, bytes }) => `${name} (${sizeText(bytes)})`),
    ...(masked > 0 ? [`${masked} masked ${masked === 1 ? 'secret' : 'secrets'}`] : []),
  ];
}

/** Returns `12,345 tokens` and `$0.42`, as far as the service reports them. */
export function usageFacts(run: Run | null): string[] {
  const tokens = run?.request_usage?.total_tokens;
  const cost = costOf(run);
  return [
    ...(tokens ? [`${Math.round(tokens).toLocaleString('en-US')} tokens`] : []),
    ...(cost ? [cost] : []),
  ];
}

function costOf(run: Run | null): string | undefined {
  const micros = readRunCost(run)?.micros;
  return typeof micros === 'number' ? dollars(micros) : undefined;
}

const oneLine = (value: string) =>
  escapeText(value.replace(/[\s*]+/g, ' ').trim() || 'empty', factLimit);
