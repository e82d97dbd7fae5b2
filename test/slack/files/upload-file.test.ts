import { fileURLToPath } from 'node:url';
import { readManifest } from 'slack-stand-in/manifest';
import { expect, it } from 'vitest';
import { useWorkspace } from '../../../packages/slack-stand-in/test/support/use-workspace.ts';
import { uploadFile } from '../../../src/slack/files/upload-file.ts';
import { createSlackClient } from '../../support/slack-client.ts';

const { startWorkspace } = useWorkspace();
const manifest = readManifest(fileURLToPath(new URL('../../../manifest.yml', import.meta.url)));
/** A public channel that the app isn't in. */
const random = 'C04RANDOM01';

async function upload(leftOut: string[]) {
  const workspace = await startWorkspace({ manifest, leftOut });
  const client = createSlackClient(workspace);
  const { ts = '' } = await client.chat.postMessage({ channel: random, text: 'below' });
  const file = { name: 'answer.md', title: 'Answer', bytes: Buffer.from('whole') };
  const place = { channel: random, thread_ts: ts };
  const outcome = await uploadFile({ client, apiUrl: workspace.apiUrl }, file, place);
  const { memberIds = [] } = workspace.channels.find(({ id }) => id === random) ?? {};
  return { outcome, isIn: memberIds.includes(workspace.bot.userId) };
}

it('joins a public channel to share a file there', async () => {
  expect(await upload([])).toEqual({ outcome: { outcome: 'shared' }, isIn: true });
});

it.each(['channels:join', 'files:write'])('gives a file up without %s', async (scope) => {
  const rejected = { outcome: 'rejected', reason: 'missing_scope' };
  expect(await upload([scope])).toEqual({ outcome: rejected, isIn: false });
});
