import type { Run } from 'runs-client/contract';
import type { RunRequest } from '../../store/request-row.ts';
import { escapeText, hour, link, time } from '../text/blocks.ts';
import { messagesWords } from './prompt-context.ts';
import { lineageText } from './run-lineage.ts';
import { readRunTimes } from './run-times.ts';

const factLimit = 100;
const separator = '  ·  ';

/** The configuration as the service resolved it, else as it was asked for. */
export function configurationLine({ config, run }: RunRequest): string {
  const resolved = run?.agent_config;
  const facts: [name: string, value: string | null | undefined][] = [
    ['Environment', resolved?.environment_id ?? config.environment_id],
    ['Model', resolved?.model_id ?? config.model_id],
    ['Skill', resolved?.skill_spec ?? config.skill_spec],
    ['Name', resolved?.name ?? config.name],
  ];
  return facts
    .flatMap(([name, value]) => (value ? [`${name} *${oneLine(value)}*`] : []))
    .join(separator);
}

/** Later than this after it was asked for, the day must be said again. */
const sameDayMs = 12 * 3_600_000;

/** Who, when, and what it cost. Slack renders the times in the reader's own zone. */
export function historyLine(request: RunRequest): string {
  const { asked, started, ended } = readRunTimes(request);
  const shown = (at: number) => (Math.abs(at - asked) < sameDayMs ? hour(at) : time(at));
  return [
    `By <@${request.creatorId}>`,
    `asked ${time(asked)}`,
    ...originFacts(request),
    ...againFacts(request),
    ...contextFacts(request),
    ...(started === undefined ? [] : [`started ${shown(started)}`]),
    ...(ended === undefined ? [] : [`ended ${shown(ended)}`]),
    ...usageFacts(request.run),
  ].join(separator);
}

/** Where it was asked for; what a repeated run repeats is said by itself. */
export function originFacts({ origin }: Pick<RunRequest, 'origin'>): string[] {
  const permalink = origin?.source?.permalink;
  switch (origin?.kind) {
    case undefined:
    case 'again':
      return [];
    case 'command':
      return ['by command'];
    case 'message':
      return [`from ${link(permalink, 'a message') || 'a message'}`];
    case 'mention':
      return [`by ${link(permalink, 'a mention') || 'a mention'}`];
    case 'shortcut':
      return ['by shortcut'];
    case 'home':
      return ['from Home'];
    case 'workflow':
      return ['by a workflow'];
  }
}

const againFacts = ({ origin }: RunRequest): string[] =>
  origin?.again ? [lineageText(origin.again)] : [];

/** What went along from Slack, for runs that were started without a form. */
function contextFacts({ origin }: RunRequest): string[] {
  const context = origin?.context;
  if (!context) return [];
  const { messages, characters, masked } = context;
  const size = characters.toLocaleString('en-US');
  return [
    ...(messages > 0
      ? [`sent with ${messagesWords(context)} of the thread, ${size} characters`]
      : []),
    ...(masked > 0 ? [`${masked} masked ${masked === 1 ? 'secret' : 'secrets'}`] : []),
  ];
}

/** `12,345 tokens` and `$0.42`, as far as the service says. */
export function usageFacts(run: Run | null): string[] {
  const usage = run?.request_usage;
  if (!usage) return [];
  const costs = [usage.inference_cost_usd, usage.compute_cost_usd, usage.platform_cost_usd];
  const known = costs.filter((cost) => typeof cost === 'number' && cost >= 0);
  const total = known.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  const tokens = usage.total_tokens;
  return [
    ...(tokens ? [`${Math.round(tokens).toLocaleString('en-US')} tokens`] : []),
    ...(known.length > 0
      ? [total > 0 && total < 0.01 ? 'under $0.01' : `$${total.toFixed(2)}`]
      : []),
  ];
}

/** A value of the service in bold: its own asterisks and line breaks would end that. */
const oneLine = (value: string) =>
  escapeText(value.replace(/[\s*]+/g, ' ').trim() || 'empty', factLimit);
