import { describe, expect, it } from 'vitest';
import type { LocalWorkspace } from '../../src/index.ts';
import { callApi, callOk } from '../support/call-api.ts';
import { useWorkspace } from '../support/use-workspace.ts';

const channel = 'C04GENERAL1';
const { startWorkspace } = useWorkspace();
const start = () => startWorkspace({ retryDelaysMs: [] });

const reserve = async (workspace: LocalWorkspace, length: number) => {
  const upload = { filename: 'a.md', length };
  const answer = await callOk(workspace, 'files.getUploadURLExternal', upload);
  return { id: String(answer['file_id']), url: String(answer['upload_url']) };
};
const complete = (workspace: LocalWorkspace, id: string, more: object = {}) =>
  callApi(workspace, 'files.completeUploadExternal', {
    files: [{ id, title: 'An answer' }],
    channel_id: channel,
    ...more,
  });

describe('an upload of the app', () => {
  it('is a message once all three steps are done, and not again', async () => {
    const workspace = await start();
    const { id, url } = await reserve(workspace, 3);
    expect(await complete(workspace, id)).toMatchObject({ ok: false, error: 'file_not_found' });
    expect((await fetch(url, { method: 'POST', body: 'four' })).status).toBe(400);
    expect((await fetch(url, { method: 'POST', body: 'abc' })).status).toBe(200);
    expect(await complete(workspace, id)).toMatchObject({
      ok: true,
      files: [{ id, title: 'An answer' }],
    });
    const message = workspace.messagesIn(channel).at(-1);
    expect(message).toMatchObject({ files: [{ id, name: 'a.md', title: 'An answer', size: 3 }] });
    expect(await complete(workspace, id)).toMatchObject({ ok: false, error: 'file_not_found' });
    expect((await fetch(url, { method: 'POST', body: 'abc' })).status).toBe(404);
  });

  it('goes only where the app is a member', async () => {
    const workspace = await start();
    const { id, url } = await reserve(workspace, 1);
    await fetch(url, { method: 'POST', body: 'a' });
    const answer = await complete(workspace, id, { channel_id: 'C04RANDOM01' });
    expect(answer).toMatchObject({ ok: false, error: 'not_in_channel' });
  });
});

describe('a file of a person', () => {
  it('is read with the token, and not after it was deleted', async () => {
    const workspace = await start();
    const ada = workspace.as('ada');
    const uploads = [{ name: 'a b.txt', mimeType: 'text/plain', content: 'hello' }];
    const { message } = await ada.types(channel, 'see', { uploads });
    const id = String(message?.files?.[0]?.['id']);
    const { file } = await callOk(workspace, 'files.info', { file: id });
    const url = String((file as { url_private: string }).url_private);
    const read = (token: string) =>
      fetch(url, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' });
    expect(await (await read(workspace.botToken)).text()).toBe('hello');
    expect((await read('xoxb-other')).status).toBe(302);
    ada.deletesFile(id);
    expect((await read(workspace.botToken)).status).toBe(404);
    const gone = await callApi(workspace, 'files.info', { file: id });
    expect(gone).toMatchObject({ ok: false, error: 'file_deleted' });
  });

  it("doesn't exist for the app in a conversation that it isn't in", async () => {
    const workspace = await start();
    const uploads = [{ name: 'a.txt', mimeType: 'text/plain', content: 'x' }];
    const { message } = await workspace.as('ada').types('C04MANAGERS', 'see', { uploads });
    const file = String(message?.files?.[0]?.['id']);
    const answer = await callApi(workspace, 'files.info', { file });
    expect(answer).toMatchObject({ ok: false, error: 'file_not_found' });
  });
});
