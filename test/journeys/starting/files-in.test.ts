import { describe, expect, it } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
  testKey,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import {
  general,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

const log = (name: string, content: string) => ({ name, mimeType: 'text/plain', content });

/** Starts a product whose agent answers with the files that it received. */
async function startWithReader() {
  const script = 'cd "$AGENT_ATTACHMENTS_DIR" && for f in *; do echo "$f=$(cat "$f")"; done';
  const environments = [shellEnvironment(script, { default: true })];
  const { service } = await startRunsService({ environments });
  const runsApi = { baseUrl: service.apiUrl, apiKey: testKey };
  return await startedProduct({ runsApi });
}

describe('files of a message', () => {
  it('go to the agent from the form, which says which, and from a mention, with secrets masked', async () => {
    const { ada, grace, workspace } = await startWithReader();
    const uploads = [
      log('server.log', 'password=hunter2hunter2'),
      log('dump.bin', 'x'.repeat(6 * 1024 * 1024)),
    ];
    const { message } = await ada.types(general, 'why?', { uploads });
    const reply = { threadTs: message?.ts, uploads: [log('more.log', 'line two')] };
    await grace.types(general, 'look here', reply);
    const place = { channelId: general, ts: message?.ts ?? '' };
    await ada.usesMessageShortcut('message-shortcut:run', place);
    const form = await workspace.until(() => {
      const shown = textOf(ada.modal()?.content);
      return shown.includes('Send the thread too') ? shown : undefined;
    });
    expect(form).toContain('Send 1 file (23 B) too');
    expect(form).toContain('characters, 1 file)');
    expect(form).toContain('dump.bin is too large (6 MB, the limit is 5 MB).');
    expect(await ada.submits({ context: ['thread'] })).toEqual({});
    const ended = textOf(await runMessageShowing(workspace, 'Succeeded'));
    expect(ended).toContain('more.log=line two\\nserver.log=password=[masked secret 1]');
    expect(ended).toContain('2 files');
    expect(ended).toContain('1 value that looks like a secret is masked in the files.');
    expect(textOf(workspace.messagesIn(general).slice(2))).not.toContain('hunter2');

    const broken = await ada.types(general, 'broken', { uploads: [log('a.log', 'one')] });
    const inThread = { threadTs: broken.message?.ts, uploads: [log('b.log', 'two')] };
    await ada.types(general, `<@${workspace.bot.userId}> why?`, inThread);
    await runMessageShowing(workspace, 'a.log=one\\nb.log=two');
  });

  it('do not stop a run when they are gone by then, and its message says so', async () => {
    const { ada, workspace } = await startWithReader();
    const uploads = [log('a.log', 'one'), log('b.log', 'two')];
    const { message } = await ada.types(general, 'why?', { uploads });
    const place = { channelId: general, ts: message?.ts ?? '' };
    await ada.usesMessageShortcut('message-shortcut:run', place);
    await workspace.until(() => textOf(ada.modal()?.content).includes('Send 2 files'));
    ada.deletesFile(String(message?.files?.[0]?.['id']));
    workspace.faults.inject({ name: 'server_error', method: 'files.info', times: 1 });
    expect(await ada.submits()).toEqual({});
    const ended = textOf(await runMessageShowing(workspace, 'Succeeded'));
    expect(ended).toContain("a.log wasn't sent because it was deleted.");
    expect(ended).toContain('b.log=two');
  });
});
