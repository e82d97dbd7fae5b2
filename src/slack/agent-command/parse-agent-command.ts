import { type AgentOptions, readOptions } from '../configuration/typed-options.ts';
import { type UsagePeriod, usagePeriods } from '../runs/usage-question.ts';

/** Creator to filter `/agent list` by. A person is written as typed: `@ada` or `@U04ADA`. */
export type ListedCreator = 'mine' | 'all' | `@${string}`;

/** Runs to show the usage of. A person or a channel is written as typed: `@ada`, `#backend` or `#C04BACKEND`. */
export type TypedUsage = 'me' | 'everyone' | `@${string}` | `#${string}`;

export type AgentCommand =
  | StartCommand
  | { kind: 'list'; creator: ListedCreator; state: string | undefined }
  | { kind: 'show' | 'cancel'; run: string }
  | { kind: 'audit'; person: `@${string}` | undefined; action: string | undefined }
  | { kind: 'usage'; of: TypedUsage; days: UsagePeriod }
  | { kind: 'schedule'; when: string; prompt: string | undefined }
  | { kind: 'settings' | 'presets' | 'automations' | 'connect' | 'doctor' | 'help' }
  | Mistake;

/** Invalid command. `problem` explains it, as mrkdwn. */
type Mistake = { kind: 'mistake'; problem: string };

export type StartCommand = {
  kind: 'start';
  prompt: string;
  options: AgentOptions;
  atOnce: boolean;
  dryRun: boolean;
};

type Subcommand = (typeof subcommands)[number];
const subcommands = [
  'run',
  'list',
  'show',
  'cancel',
  'settings',
  'presets',
  'automations',
  'connect',
  'disconnect',
  'usage',
  'schedule',
  'audit',
  'doctor',
  'help',
] as const;

/**
 * Reads the text after `/agent`. Only the first word can be a subcommand, so `/agent run …` starts a run whatever its
 * prompt begins with.
 */
export function parseAgentCommand(typed: string): AgentCommand {
  const text = typed.trim();
  const [word = ''] = /^\S+/.exec(text) ?? [];
  const subcommand = subcommands.find((each) => each === word.toLowerCase());
  if (!subcommand) return parseStart(text, false);
  const rest = text.slice(word.length).trim();
  const words = rest.split(/\s+/).filter(Boolean);
  switch (subcommand) {
    case 'run':
      return parseStart(rest, true);
    case 'list':
      return parseList(words);
    case 'show':
    case 'cancel':
      return parseOneRun(subcommand, words);
    case 'usage':
      return parseUsage(words);
    case 'schedule':
      return parseSchedule(rest);
    case 'audit':
      return parseAudit(words);
    case 'connect':
    case 'disconnect':
      return words.length === 0 ? { kind: 'connect' } : tooMany(subcommand);
    case 'settings':
    case 'presets':
    case 'automations':
    case 'doctor':
    case 'help':
      return words.length === 0 ? { kind: subcommand } : tooMany(subcommand);
  }
}

/** Parses options and the prompt. Without a prompt, even `run` opens the form. */
function parseStart(text: string, saysRun: boolean): AgentCommand {
  const read = readOptions(text);
  if (!read.ok) return { kind: 'mistake', problem: read.problem };
  const { options, dryRun, rest: prompt } = read;
  return { kind: 'start', prompt, options, dryRun, atOnce: saysRun && prompt !== '' };
}

/** Parses `[mine|all|@someone] [state]`, in either order. */
function parseList(words: readonly string[]): AgentCommand {
  let creator: ListedCreator | undefined;
  let state: string | undefined;
  for (const word of words) {
    const lower = word.toLowerCase();
    if (creator === undefined && (lower === 'mine' || lower === 'all')) creator = lower;
    else if (creator === undefined && isPerson(word)) creator = word;
    else if (state === undefined && /^[A-Za-z_-]+$/.test(word)) state = word.toUpperCase();
    else return tooMany('list');
  }
  return { kind: 'list', creator: creator ?? 'mine', state };
}

/** Parses `[me|everyone|@someone|#channel] [7d|30d]`, in either order. */
function parseUsage(words: readonly string[]): AgentCommand {
  let of: TypedUsage | undefined;
  let days: UsagePeriod | undefined;
  for (const word of words) {
    const lower = word.toLowerCase();
    const period = usagePeriods.find((each) => lower === `${each}d`);
    if (days === undefined && period) days = period;
    else if (of === undefined && (lower === 'me' || lower === 'everyone')) of = lower;
    else if (of === undefined && (isPerson(word) || isChannel(word))) of = word;
    else return tooMany('usage');
  }
  return { kind: 'usage', of: of ?? 'me', days: days ?? usagePeriods[0] };
}

/** Parses `[schedule] [| prompt]`. The schedule is words or cron, which contain no bar. */
function parseSchedule(text: string): AgentCommand {
  const cut = text.indexOf('|');
  const when = cut < 0 ? text : text.slice(0, cut).trim();
  const prompt = cut < 0 ? undefined : text.slice(cut + 1).trim();
  return { kind: 'schedule', when, prompt: prompt || undefined };
}

/** Parses `[@someone] [part of an action]`, in either order. */
function parseAudit(words: readonly string[]): AgentCommand {
  const person = words.find(isPerson);
  const [action, ...more] = words.filter((word) => word !== person);
  if (more.length > 0 || (action && !/^[a-z_]+$/i.test(action))) return tooMany('audit');
  return { kind: 'audit', person, action: action?.toLowerCase() };
}

const isPerson = (word: string): word is `@${string}` => /^@\S/.test(word);

const isChannel = (word: string): word is `#${string}` => /^#\S/.test(word);

function parseOneRun(kind: 'show' | 'cancel', [run, ...more]: readonly string[]): AgentCommand {
  if (more[0] !== undefined) return tooMany(kind);
  if (run !== undefined) return { kind, run };
  const problem = `Which run? Add its ID, the start of its ID, or a link to its message, for example \`/agent ${kind} 3f9a\`.`;
  return { kind: 'mistake', problem };
}

function tooMany(subcommand: Subcommand): Mistake {
  const accepted: Partial<Record<Subcommand, string>> = {
    list: '`mine`, `all` or `@someone`, and a state',
    usage: '`me`, `@someone`, `#channel` or `everyone`, and `7d` or `30d`',
    audit: '`@someone` and a word such as `cancel`',
    show: 'one run',
    cancel: 'one run',
  };
  const what = `\`/agent ${subcommand}\` accepts ${accepted[subcommand] ?? 'no arguments'}.`;
  const problem = `${what} To start a run with this text, type \`/agent run ${subcommand} …\`.`;
  return { kind: 'mistake', problem };
}
