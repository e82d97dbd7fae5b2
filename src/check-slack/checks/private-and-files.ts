import { sleep } from 'base/sleep';
import { type Check, judge, saidBy } from '../check.ts';
import { listOf } from '../find.ts';

const text = 'check-slack: this message is deleted at the end';
const fileBytes = 20_000;
const pollEveryMs = 500;

export const ephemeral: Check = {
  id: 'private',
  title: 'Private answers in a channel',
  needs: 'nothing',
  async *run({ call, channel, identity }) {
    const members = await call('conversations.members', { channel, limit: 20 });
    const ids = Array.isArray(members['members']) ? members['members'] : [];
    const user = ids.find((id) => id !== identity.answer['user_id']);
    const answer = user
      ? await call('chat.postEphemeral', { channel, user, text: 'check-slack: only you see this' })
      : members;
    yield judge('The app can answer one person in a channel', {
      holds: user === undefined ? undefined : answer['ok'] === true,
      said: user === undefined ? `${saidBy(members)}, nobody but the app` : saidBy(answer),
      means: 'The app answers by direct message.',
    });
  },
};

export const upload: Check = {
  id: 'upload',
  title: 'A file in a thread',
  needs: 'nothing',
  async *run({ call, channel, patienceMs, signal }) {
    const root = await call('chat.postMessage', { channel, text });
    const thread_ts = String(root['ts']);
    const filename = 'check-slack.md';
    const started = await call('files.getUploadURLExternal', { filename, length: fileBytes });
    const id = String(started['file_id']);
    const sent = started['ok'] === true && (await send(String(started['upload_url'])));
    const files = [{ id, title: filename }];
    const shared = sent
      ? await call('files.completeUploadExternal', { files, channel_id: channel, thread_ts })
      : started;
    yield judge('A file of 20 KB can be uploaded', {
      holds: shared['ok'] === true,
      said: saidBy(shared),
      means: 'Long answers end in their beginning, without the file.',
    });
    if (shared['ok'] !== true) return;
    const count = (messages: unknown) =>
      listOf(messages).filter(({ files: those }) =>
        listOf(those).some((each) => each['id'] === id),
      );
    const look = async () => {
      const replies = await call('conversations.replies', { channel, ts: thread_ts, limit: 50 });
      const recent = await call('conversations.history', { channel, oldest: thread_ts, limit: 50 });
      const outside = count(recent['messages']).filter((each) => !each['thread_ts']).length;
      return { inside: count(replies['messages']).length, outside };
    };
    let found = await look();
    // Wait for the file to appear, because Slack shares it after the call returns.
    for (let ms = 0; ms < patienceMs && !signal.aborted; ms += pollEveryMs) {
      if (found.inside + found.outside > 0) break;
      await sleep(pollEveryMs, signal);
      found = await look();
    }
    yield judge('It is shared once, in its thread', {
      holds: found.inside === 1 && found.outside === 0,
      said: `${found.inside} in the thread, ${found.outside} outside of it`,
      means: 'Readers see the file twice, or away from its answer. Open an issue.',
    });
  },
};

async function send(url: string): Promise<boolean> {
  const options = { method: 'POST', redirect: 'manual' } as const;
  const answer = await fetch(url, {
    ...options,
    body: 'check-slack '.repeat(fileBytes).slice(0, fileBytes),
  });
  await answer.body?.cancel();
  return answer.status === 200;
}
