import { type Masked, maskedNotice } from 'base/secrets/mask-secrets';
import { type Conversation, ownAuthority } from '../../../requests/authority.ts';
import { canceledBeforeStart } from '../../../requests/cancel.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { type ReadChoices, takeOver } from '../../configuration/keyed-servers.ts';
import { chooseFiles, filesLeftNotice } from '../../files/message-files.ts';
import type { MarkSource } from '../../posting/source-message.ts';
import { escapeText } from '../../text/escape-text.ts';
import type { SlackMessage } from '../../text/message-text.ts';
import { requestIdOf } from '../run-ref.ts';
import { earlierRun } from '../showing/earlier-run.ts';
import { boldTitle } from '../showing/run-label.ts';
import type { StartRun } from './run-start.ts';

export type ContinueDeps = {
  startRun: StartRun;
  markSource: MarkSource;
  settings: ReadChoices;
};

/** Message in the thread of a run, with its text and link. */
type Continuation = {
  by: {
    teamId: string;
    userId: string;
    channelId: string;
    threadTs: string;
    message: SlackMessage;
  };
  words: Masked;
  permalink: string | undefined;
};

function conversationOf({ run, channelId, connectionId }: RunRequest): Conversation | undefined {
  const id = run?.conversation_id;
  return id ? { id, channelId, connectionId } : undefined;
}

/**
 * Starts the next run of a conversation with the same configuration. Uses the keys and permissions of the message's
 * author.
 * @returns text for the author, or `not offered` if the service has no conversation for this key
 */
export async function continueRun(
  { startRun, markSource, settings }: ContinueDeps,
  request: RunRequest,
  { by, words, permalink }: Continuation,
): Promise<string | 'not offered' | undefined> {
  const { teamId, userId, channelId, threadTs, message } = by;
  const { text, masked } = words;
  if (wasCanceledAfter(request, message.ts)) return canceledBefore(request.title);
  const conversation = conversationOf(request);
  if (!conversation) return 'not offered';
  if (conversation.channelId !== channelId) return continuesElsewhere(request);
  if (!text) return fileAlone;
  const { config, left: servers } = await takeOver(settings, by, request);
  const { files, left } = chooseFiles([message]);
  const isCreator = userId === request.creatorId;
  const origin = {
    kind: 'reply' as const,
    threadTs,
    ownsThread: true,
    conversation,
    ...(isCreator && request.origin?.sharesKeys && { sharesKeys: true }),
    source: { channelId, ts: message.ts, ...(permalink && { permalink }) },
    fields: Object.fromEntries(Object.keys(config).map((field) => [field, earlierRun])),
    ...(masked > 0 && { context: { messages: 0, characters: 0, masked } }),
    ...(files.length > 0 && { files }),
  };
  const id = requestIdOf(by);
  const start = { id, teamId, channelId, authority: ownAuthority(userId), mustContinue: true };
  const outcome = await startRun({ ...start, prompt: text, title: '', config, origin });
  if (outcome.outcome === 'not continued') return 'not offered';
  if (outcome.outcome === 'rejected') return `⚠️ ${outcome.sentence}`;
  await markSource(origin);
  const notes = [
    ...(masked > 0 ? [`Run started.${maskedNotice(masked)}`] : []),
    ...(servers.length > 0 ? [withoutServers(servers, request.authority.keysOf)] : []),
  ];
  return [...notes, ...filesLeftNotice({ left })].join('\n') || undefined;
}

/** Returns true if someone canceled the run after the message was written. */
const wasCanceledAfter = ({ run, problem, cancelAskedAt }: RunRequest, ts: string): boolean =>
  (run?.state === 'CANCELLED' || problem?.code === canceledBeforeStart) &&
  (cancelAskedAt ?? 0) > Number(ts) * 1000;

export const canceledBefore = (title: string): string =>
  `${boldTitle(title, 100)} was canceled before your message was sent. To start the next run, send it again.`;

const continuesElsewhere = ({ title, channelId }: RunRequest): string =>
  `${boldTitle(title, 100)} continues in <#${channelId}>, where others read it. Write your message in its thread there.`;

function withoutServers(names: readonly string[], ownerId: string | null): string {
  const [servers, its] = names.length === 1 ? ['server', 'its'] : ['servers', 'their'];
  const listed = escapeText(names.join(', '), 300);
  const why = ownerId ? `are <@${ownerId}>'s` : "aren't shared here anymore";
  return `Run started without the MCP ${servers} ${listed}, because ${its} keys ${why}.`;
}

const fileAlone =
  'What should the agent do with this file? Write it in the same message as the file.';
