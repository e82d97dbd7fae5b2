import { type Fields, fieldsOf, textOf } from '../slack/connection/deliveries/delivery-address.ts';
import type { CallSlack } from './call-slack.ts';
import { saidBy } from './check.ts';
import { listOf } from './find.ts';
import type { Call } from './record.ts';

const gone = new Set(['message_not_found', 'file_not_found', 'file_deleted', 'thread_not_found']);

/**
 * Deletes the posts and uploads of these calls, and closes sessions. Returns whatever couldn't be deleted, with
 * reasons.
 */
export async function cleanUp(calls: readonly Call[], call: CallSlack): Promise<string[]> {
  const left: string[] = [];
  const undo = async (what: string, method: string, args: Fields) => {
    const answer = await call(method, args);
    if (answer['ok'] !== true && !gone.has(String(answer['error'])))
      left.push(`${what}: ${saidBy(answer)}`);
  };
  const done = calls.filter(({ answer }) => answer['ok'] === true);
  const by = (method: string) => done.filter((each) => each.method === method);

  const sessions = new Map(
    by('agents.sessions.setStatus').map(({ sent }) => [
      `${sent['channel_id']} ${sent['thread_ts']}`,
      sent,
    ]),
  );
  for (const { status, channel_id, thread_ts } of sessions.values())
    if (status !== 'closed')
      await undo('session', 'agents.sessions.setStatus', {
        channel_id,
        thread_ts,
        status: 'closed',
      });
  for (const { sent } of by('files.completeUploadExternal'))
    for (const file of listOf(sent['files']).map(({ id }) => textOf(id))) {
      const { shares } = fieldsOf((await call('files.info', { file }))['file']);
      for (const { channel, ts } of placesIn(shares))
        await undo('message with a file', 'chat.delete', { channel, ts });
      await undo('file', 'files.delete', { file });
    }
  const deleted = new Set(by('chat.delete').map(({ sent }) => `${sent['channel']} ${sent['ts']}`));
  // Delete from newest to oldest, so that replies go before the first message of their thread.
  for (const { answer } of by('chat.postMessage').toReversed()) {
    const { channel, ts } = answer;
    if (!deleted.has(`${channel} ${ts}`)) await undo('message', 'chat.delete', { channel, ts });
  }
  return left;
}

/** Returns the messages that share a file, read from `{ public: { C…: [{ ts }] }, private: … }`. */
function placesIn(shares: unknown): { channel: string; ts: unknown }[] {
  const byChannel = Object.values(fieldsOf(shares)).flatMap((kind) =>
    Object.entries(fieldsOf(kind)),
  );
  return byChannel.flatMap(([channel, messages]) =>
    listOf(messages).map(({ ts }) => ({ channel, ts })),
  );
}
