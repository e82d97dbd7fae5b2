import type { WebClient } from '@slack/web-api';
import type { Rejected, RetryLater } from '../../outbox/outcomes.ts';
import type { MessagePlace } from '../posting/marked-messages.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { isOfSlack } from './download-file.ts';

export type UploadedFile = { name: string; title: string; altText?: string; bytes: Buffer };

const timeoutMs = 30_000;

/** Uploads a file and shares it. Slack posts it a moment later and doesn't return the message. */
export async function uploadFile(
  { client, apiUrl }: { client: WebClient; apiUrl: string },
  { name, title, altText, bytes }: UploadedFile,
  place: MessagePlace,
): Promise<{ outcome: 'shared' } | Rejected | RetryLater> {
  let isSharing = false;
  try {
    const started = await client.files.getUploadURLExternal({
      filename: name,
      length: bytes.length,
      ...(altText && { alt_txt: altText }),
    });
    const { file_id: id = '', upload_url: url = '' } = started;
    if (!isOfSlack(url, apiUrl)) return { outcome: 'rejected', reason: 'the address is not Slack' };
    const stored = await send(url, bytes);
    if (!stored) return { outcome: 'later', reason: 'not stored', retryAfterMs: 0, isUndone: true };
    isSharing = true;
    await share(client, { id, title }, place);
    return { outcome: 'shared' };
  } catch (error) {
    const failure = readSlackFailure(error);
    // Give up instead of waiting for an admin, because people can read the answer on the session page.
    if (failure.reason === 'missing_scope') return { outcome: 'rejected', reason: failure.reason };
    // Mark the upload as undone if it wasn't shared, because Slack deletes such files.
    if (failure.outcome === 'later' && !isSharing) return { ...failure, isUndone: true };
    return failure;
  }
}

async function send(url: string, bytes: Buffer): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const options = { method: 'POST', redirect: 'manual', signal } as const;
    const answer = await fetch(url, { ...options, body: new Uint8Array(bytes) });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** Shares a file. Joins a public channel if needed, because only members can share files there. */
async function share(
  client: WebClient,
  file: { id: string; title: string },
  { channel: channel_id, thread_ts }: MessagePlace,
): Promise<void> {
  const call = { files: [file] as [typeof file], channel_id };
  const complete = () =>
    thread_ts === undefined
      ? client.files.completeUploadExternal(call)
      : client.files.completeUploadExternal({ ...call, thread_ts });
  try {
    await complete();
  } catch (error) {
    if (readSlackFailure(error).reason !== 'not_in_channel') throw error;
    await client.conversations.join({ channel: channel_id });
    await complete();
  }
}
