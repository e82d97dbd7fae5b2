import { type Masked, maskedNotice } from 'base/secrets/mask-secrets';
import { ownAuthority } from '../../requests/authority.ts';
import type { RequestOrigin } from '../../requests/origin.ts';
import type { Settings } from '../../store/people/settings.ts';
import {
  type EnvironmentCheckDeps,
  findEnvironmentError,
} from '../configuration/run-connections.ts';
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

export type StartFromMentionParts = EnvironmentCheckDeps & {
  settings: Pick<Settings, 'readLayers' | 'list'>;
  startRun: StartRun;
  rights: Pick<Rights, 'refuseConfigured'>;
  readThread: ThreadReader;
  readPermalink: ReadPermalink;
  markSource: MarkSource;
  /** Returns true if the message still has this text. Edits count while Slack answers. */
  isCurrent(mention: Mention): Promise<boolean>;
};

export const placeOf = ({ channelId, message: { ts } }: Mention) => ({ channelId, ts });

/** Starts a run with the words and options of a mention, and its thread. @returns what to answer, if it's still that */
export async function startFromMention(
  parts: StartFromMentionParts,
  mention: Mention,
  { text, masked: masks }: Masked,
): Promise<MentionAnswer | 'edited' | undefined> {
  const { channelId, userId, threadTs, message } = mention;
  const asked = await readAsked(parts, mention, text);
  if ('wrong' in asked) return { text: `⚠️ ${asked.wrong}` };
  const { prompt, title, isDryRun, resolved } = asked;
  if (!prompt && !isDryRun) {
    // In direct messages, the run goes into the thread of what was written.
    const own = isDirect(channelId) ? message.ts : undefined;
    return askForPrompt({ ...mention, threadTs: threadTs ?? own }, text);
  }
  const { config } = resolved;
  const found = await findEnvironmentError(parts, mention, config);
  const unlisted = found && escapeText(found, 1_000);
  if (unlisted && !isDryRun) return { text: `⚠️ ${unlisted}` };
  const place = { channelId, userId, threadTs: threadTs ?? '', except: message.ts };
  const thread = threadTs ? await parts.readThread(place, { masks }) : undefined;
  const { context: quoted, messages, left, masked: inThread } = readable(thread);
  const masked = masks + inThread;
  const context = { messages, left, characters: [...quoted].length, masked };
  const chosen = chooseFiles([message, ...withFilesIn(thread)]);
  if (!isDryRun) return start(parts, mention, { ...asked, thread, quoted, context, chosen });
  const words = [contextWords(context), ...fileWords(chosen)].filter(Boolean).join(' ');
  const refusal = (await parts.rights.refuseConfigured({ ...mention, config })) ?? unlisted;
  return { text: dryRunText({ prompt, title, context: words, refusal, ...resolved }) };
}

const fileWords = ({ files, left }: ChosenFiles) => [
  ...(files.length > 0 ? [`${describeFiles(files)}.`] : []),
  ...filesLeftNotice({ left }),
];

type Thread = Awaited<ReturnType<ThreadReader>> | undefined;

const readable = (thread: Thread) =>
  thread && !('closed' in thread) ? thread : { context: '', messages: 0, left: 0, masked: 0 };

const withFilesIn = (thread: Thread) => (thread && 'withFiles' in thread ? thread.withFiles : []);

function contextWords(context: Context): string | undefined {
  const { messages, characters, masked } = context;
  const text = `${describeMessageCount(context)} of the thread, ${characters.toLocaleString('en')} characters`;
  return messages + masked > 0 ? `${text}.${maskedNotice(masked)}` : undefined;
}

type Asked = {
  prompt: string;
  title: string;
  isDryRun: boolean;
  resolved: ResolvedConfig;
};

/** The words with the defaults below them, or what's wrong with them. */
async function readAsked(
  { settings }: Pick<StartFromMentionParts, 'settings'>,
  { teamId, channelId, userId }: Mention,
  text: string,
): Promise<Asked | { wrong: string }> {
  const asker = { teamId, channelId, userId };
  const read = readOptions(text);
  if (!read.ok) return { wrong: read.problem };
  const { options, rest: prompt, dryRun: isDryRun } = read;
  const typed = await readTypedConfig(settings, asker, options);
  if (!typed.ok) return { wrong: typed.problem };
  const resolved = await resolveTyped(settings, asker, typed);
  return { prompt, title: options.title ?? '', isDryRun, resolved };
}

type Context = NonNullable<RequestOrigin['context']>;

async function start(
  parts: StartFromMentionParts,
  mention: Mention,
  asked: Asked & { thread: Thread; quoted: string; context: Context; chosen: ChosenFiles },
): Promise<MentionAnswer | 'edited' | undefined> {
  const { teamId, channelId, userId, message } = mention;
  const { prompt, title, resolved, thread, quoted, context, chosen } = asked;
  const threadTs = mention.threadTs ?? message.ts;
  const permalink = await parts.readPermalink({ channelId, ts: message.ts });
  const origin = {
    kind: 'mention' as const,
    threadTs,
    // A thread elsewhere that existed before is a discussion.
    ...((!mention.threadTs || channelId.startsWith('D')) && { ownsThread: true }),
    source: { ...placeOf(mention), ...(permalink && { permalink }) },
    fields: resolved.fields,
    context,
    ...(chosen.files.length > 0 && { files: chosen.files }),
  };
  if (!(await parts.isCurrent(mention))) return 'edited';
  const outcome = await parts.startRun({
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
  if (outcome.outcome === 'refused') return { text: `⚠️ ${outcome.sentence}` };
  await parts.markSource(origin);
  const notes = [
    ...(thread && 'closed' in thread ? [startedWithoutThread(thread.closed)] : []),
    ...(context.masked > 0 ? [startedMasked(context.masked)] : []),
    ...filesLeftNotice(chosen),
  ];
  return notes.length > 0 ? { text: notes.join('\n') } : undefined;
}
