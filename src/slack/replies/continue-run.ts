import { type Masked, maskedNotice } from '../../lib/secrets/mask-secrets.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { chooseFiles, filesLeftNotice } from '../files/message-files.ts';
import type { MarkSource } from '../posting/source-message.ts';
import type { StartRun } from '../runs/acting/run-start.ts';
import { requestIdOf } from '../runs/message-key.ts';
import { earlierRun } from '../runs/showing/earlier-run.ts';
import { configFor, hasKeyedServers } from '../secrets/keyed-servers.ts';
import { placeOf, type Reply } from './read-reply.ts';

export type ContinueParts = {
  startRun: StartRun;
  markSource: MarkSource;
};

/** A reply with what it says, and its link. */
type Continuation = { reply: Reply; words: Masked; permalink: string | undefined };

/**
 * Starts the next run of a run's conversation, with the same configuration.
 * @returns what to tell the author; `not offered` if the service knows no conversation, or keys would be missing
 */
export async function continueRun(
  { startRun, markSource }: ContinueParts,
  request: RunRequest,
  { reply, words, permalink }: Continuation,
): Promise<string | 'not offered' | undefined> {
  const { teamId, userId, channelId, threadTs, message } = reply;
  const { text, masked } = words;
  const conversationId = request.run?.conversation_id;
  const config = configFor(userId, request);
  const lacksKeys = hasKeyedServers(request.config) && !hasKeyedServers(config);
  if (!conversationId || lacksKeys) return 'not offered';
  if (!text) return fileAlone;
  const place = { channelId, ts: placeOf(reply).ts };
  const { files, left } = chooseFiles([message]);
  const origin = {
    kind: 'reply' as const,
    threadTs,
    ownsThread: true,
    conversationId,
    source: { ...place, ...(permalink && { permalink }) },
    fields: Object.fromEntries(Object.keys(config).map((field) => [field, earlierRun])),
    ...(masked > 0 && { context: { messages: 0, characters: 0, masked } }),
    ...(files.length > 0 && { files }),
  };
  const start = { id: requestIdOf(reply), teamId, channelId, creatorId: userId };
  const outcome = await startRun({ ...start, prompt: text, title: '', config, origin });
  if (outcome.outcome === 'refused') return `⚠️ ${outcome.sentence}`;
  await markSource(origin);
  const notes = [...(masked > 0 ? [`Run started.${maskedNotice(masked)}`] : [])];
  return [...notes, ...filesLeftNotice({ left })].join('\n') || undefined;
}

const fileAlone =
  'What should the agent do with this file? Write it in the same message as the file.';
