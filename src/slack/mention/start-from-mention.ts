import { type Masked, maskedNotice } from 'base/secrets/mask-secrets';
import { ownAuthority } from '../../requests/authority.ts';
import type { RequestOrigin } from '../../requests/origin.ts';
import type { Settings } from '../../store/people/settings.ts';
import { findEnvironmentError, type RunConnections } from '../configuration/run-connections.ts';
import type { ResolvedConfig } from '../configuration/run-defaults.ts';
import { readOptions, readTypedConfig, resolveTyped } from '../configuration/typed-options.ts';
import {
  type ChosenFiles,
  chooseFiles,
  describeFiles,
  filesLeftNotice,
} from '../files/message-files.ts';
import type { Rights } from '../people/rights.ts';
import { isDirect } from '../posting/post-privately.ts';
import type { MarkSource, ReadPermalink } from '../posting/source-message.ts';
import type { StartRun } from '../runs/acting/run-start.ts';
import { describeMessageCount } from '../runs/reading/prompt-context.ts';
import type { ThreadReader } from '../runs/reading/read-thread.ts';
import { requestIdOf } from '../runs/run-ref.ts';
import { dryRunText } from '../runs/showing/dry-run.ts';
import { escapeText } from '../text/escape-text.ts';
import { askForPrompt } from './ask-for-prompt.ts';
import { type MentionAnswer, startedMasked, startedWithoutThread } from './mention-answers.ts';
import type { Mention } from './read-mention.ts';

type MentionStarterDeps = {
  settings: Pick<Settings, 'readLayers' | 'list'>;
  connections: Pick<RunConnections, 'catalogFor'>;
  rights: Pick<Rights, 'denyConfigured'>;
  startRun: StartRun;
  readThread: ThreadReader;
  readPermalink: ReadPermalink;
  markSource: MarkSource;
  ackWaitMs: number;
};

/** Starts a run from a mention. `isCurrent` returns false if the mention was edited while the app waited for Slack. */
export type StartFromMention = (
  mention: Mention,
  words: Masked,
  isCurrent: (mention: Mention) => Promise<boolean>,
) => Promise<MentionAnswer | 'edited' | undefined>;

export const placeOf = ({ channelId, message: { ts } }: Mention) => ({ channelId, ts });

/** Creates a function that starts a run from the text and options of a mention, with its thread. */
export const createMentionStarter =
  (deps: MentionStarterDeps): StartFromMention =>
  (...mention) =>
    startFromMention(deps, ...mention);

async function startFromMention(
  deps: MentionStarterDeps,
  mention: Mention,
  { text, masked: masks }: Masked,
  isCurrent: (mention: Mention) => Promise<boolean>,
): Promise<MentionAnswer | 'edited' | undefined> {
  const { channelId, userId, threadTs, message } = mention;
  const read = await readMentionText(deps, mention, text);
  if ('problem' in read) return { text: `⚠️ ${read.problem}` };
  const { prompt, title, isDryRun, resolved } = read;
  if (!prompt && !isDryRun) {
    // Put the run into the message's own thread in direct messages.
    const own = isDirect(channelId) ? message.ts : undefined;
    return askForPrompt({ ...mention, threadTs: threadTs ?? own }, text);
  }
  const { config } = resolved;
  const found = await findEnvironmentError(deps, mention, config);
  const unlisted = found && escapeText(found, 1_000);
  if (unlisted && !isDryRun) return { text: `⚠️ ${unlisted}` };
  const place = { channelId, userId, threadTs: threadTs ?? '', except: message.ts };
  const thread = threadTs ? await deps.readThread(place, { masks }) : undefined;
  const { context: quoted, messages, left, masked: inThread } = readable(thread);
  const masked = masks + inThread;
  const context = { messages, left, characters: [...quoted].length, masked };
  const chosen = chooseFiles([message, ...withFilesIn(thread)]);
  if (!isDryRun)
    return start(deps, mention, { ...read, thread, quoted, context, chosen }, isCurrent);
  const words = [contextText(context), ...fileTexts(chosen)].filter(Boolean).join(' ');
  const denial = (await deps.rights.denyConfigured({ ...mention, config })) ?? unlisted;
  return { text: dryRunText({ prompt, title, context: words, denial, ...resolved }) };
}

const fileTexts = ({ files, left }: ChosenFiles) => [
  ...(files.length > 0 ? [`${describeFiles(files)}.`] : []),
  ...filesLeftNotice({ left }),
];

type Thread = Awaited<ReturnType<ThreadReader>> | undefined;

const readable = (thread: Thread) =>
  thread && !('closed' in thread) ? thread : { context: '', messages: 0, left: 0, masked: 0 };

const withFilesIn = (thread: Thread) => (thread && 'withFiles' in thread ? thread.withFiles : []);

function contextText(context: Context): string | undefined {
  const { messages, characters, masked } = context;
  const text = `${describeMessageCount(context)} of the thread, ${characters.toLocaleString('en')} characters`;
  return messages + masked > 0 ? `${text}.${maskedNotice(masked)}` : undefined;
}

type MentionText = {
  prompt: string;
  title: string;
  isDryRun: boolean;
  resolved: ResolvedConfig;
};

/** Reads the prompt and options of a mention, and adds defaults. Returns a problem in mrkdwn if they can't be used. */
async function readMentionText(
  { settings }: Pick<MentionStarterDeps, 'settings'>,
  { teamId, channelId, userId }: Mention,
  text: string,
): Promise<MentionText | { problem: string }> {
  const asker = { teamId, channelId, userId };
  const read = readOptions(text);
  if (!read.ok) return { problem: read.problem };
  const { options, rest: prompt, dryRun: isDryRun } = read;
  const typed = await readTypedConfig(settings, asker, options);
  if (!typed.ok) return { problem: typed.problem };
  const resolved = await resolveTyped(settings, asker, typed);
  return { prompt, title: options.title ?? '', isDryRun, resolved };
}

type Context = NonNullable<RequestOrigin['context']>;

async function start(
  deps: MentionStarterDeps,
  mention: Mention,
  read: MentionText & { thread: Thread; quoted: string; context: Context; chosen: ChosenFiles },
  isCurrent: (mention: Mention) => Promise<boolean>,
): Promise<MentionAnswer | 'edited' | undefined> {
  const { teamId, channelId, userId, message } = mention;
  const { prompt, title, resolved, thread, quoted, context, chosen } = read;
  const threadTs = mention.threadTs ?? message.ts;
  const permalink = await deps.readPermalink({ channelId, ts: message.ts });
  const origin = {
    kind: 'mention' as const,
    threadTs,
    // Let the run own new threads and threads in direct messages. Other threads are discussions between people.
    ...((!mention.threadTs || channelId.startsWith('D')) && { ownsThread: true }),
    source: { ...placeOf(mention), ...(permalink && { permalink }) },
    fields: resolved.fields,
    context,
    ...(chosen.files.length > 0 && { files: chosen.files }),
  };
  if (!(await isCurrent(mention))) return 'edited';
  const outcome = await deps.startRun({
    id: requestIdOf(mention),
    teamId,
    authority: ownAuthority(userId),
    channelId,
    prompt,
    context: quoted,
    title,
    config: resolved.config,
    origin,
  });
  if (outcome.outcome === 'rejected') return { text: `⚠️ ${outcome.sentence}` };
  await deps.markSource(origin);
  const notes = [
    ...(thread && 'closed' in thread ? [startedWithoutThread(thread.closed)] : []),
    ...(context.masked > 0 ? [startedMasked(context.masked)] : []),
    ...filesLeftNotice(chosen),
  ];
  return notes.length > 0 ? { text: notes.join('\n') } : undefined;
}
