import { expect, it } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
  testKey,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import { startApiStub } from '../../support/network/api-stub.ts';
import {
  general,
  runMessageShowing,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const patchFile = {
  artifact_type: 'FILE',
  data: { artifact_uid: 'a1', filename: 'changes.patch', mime_type: 'text/x-diff' },
};
const link = { session_link: 'https://runs.example.com/session/4f1c' };

const fileOf = (name: string, lines: readonly string[]) =>
  [
    `diff --git a/${name} b/${name}`,
    `--- a/${name}`,
    `+++ b/${name}`,
    `@@ -1,1 +1,${lines.length + 1} @@ function login()`,
    ' const now = Date.now();',
    ...lines.map((line) => `+${line}`),
    '',
  ].join('\n');

const secret = `xoxb-${'1234567890'.repeat(3)}-abcdefghij`;
const small = fileOf('src/login.ts', ['const a = "<!channel> & `x`";', `const key = "${secret}";`]);
const many = Array.from({ length: 12 }, (_, index) =>
  fileOf(
    `src/<!here>-${index}.ts`,
    Array.from({ length: 300 }, (_, line) => `line ${line} ${'x'.repeat(30)}`),
  ),
).join('');

/** Starts a run that ends with a patch. */
async function changedBy(patch: string, channelId = general) {
  const product = await startProduct();
  const api = await startApiStub();
  const remove = api.addArtifact('a1', patch);
  api.answers('SUCCEEDED', { ...link, artifacts: [patchFile] });
  const runsApi = { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' };
  await product.startBot({ runsApi });
  const { workspace, ada } = product;
  await ada.types(channelId, '/agent run change it');
  const message = await runMessageShowing(workspace, 'View changes', channelId);
  const at = { channelId, messageTs: message.ts };
  const modal = () => textOf(ada.modal()?.content);
  const shows = (words: string) => workspace.until(() => modal().includes(words) && modal());
  const clicks = async (actionId: string) =>
    ada.clicks({ view: await workspace.until(() => ada.modal()) }, actionId);
  return { ...product, runsApi, message, at, remove, modal, shows, clicks };
}

it('View changes shows the files and the diff, masked and without effect, to those who see the run', async () => {
  const { ada, workspace, at, remove, shows } = await changedBy(small, 'C04ENGINEER');
  await ada.clicks(at, 'changes:view');
  const shown = await shows('*1 file +2 −0*');
  expect(shown).toContain('`src/login.ts` +2 −0');
  expect(shown).toContain('@@ line 1 @@ function login()');
  expect(shown).toContain('+const a = \\"<!channel> & `x`\\";');
  expect(shown).toContain('"language":"diff"');
  expect(shown).toContain('[masked secret 1]');
  expect(shown).not.toContain(secret);
  expect(shown).toMatch(/"url":"http:\/\/127.0.0.1:\d+\/files\/a1"/);
  expect(shown).toContain('https://runs.example.com/session/4f1c');
  await ada.closesModal();

  const guest = workspace.as('Sam Guest');
  await guest.clicks(at, 'changes:view');
  const rejected = await workspace.until(() => {
    const text = textOf(guest.modal()?.content);
    return text.includes('Guests') && text;
  });
  expect(rejected).not.toContain('login.ts');

  // Details has the button too. After the service deleted the patch, the button shows the reason.
  await ada.clicks(at, 'run:details');
  await shows('*Timeline*');
  remove();
  await ada.clicks({ view: await workspace.until(() => ada.modal()) }, 'changes:view');
  await shows("The runs service doesn't have these changes anymore.");
});

it('a long diff has pages of at most 100 KB, then the link to the session', async () => {
  const { ada, at, shows, clicks, modal } = await changedBy(many);
  await ada.clicks(at, 'changes:view');
  const first = await shows('Page 1 of ');
  expect(first).toContain('`src/&lt;!here&gt;-0.ts` +300 −0');
  expect(first).not.toContain('Previous');
  const [, last = ''] = /Page 1 of (\d+)/.exec(first) ?? [];
  let total = 0;
  for (let page = 2; page <= Number(last); page += 1) {
    total += modal().length;
    await clicks('changes:next');
    await shows(`Page ${page} of ${last}`);
  }
  const end = modal();
  expect(end).toContain('Only the first 100 KB are shown.');
  expect(end).not.toContain('Next →');
  expect(total + end.length).toBeLessThan(160_000);
  await clicks('changes:previous');
  await shows(`Page ${Number(last) - 1} of ${last}`);
});

const plan = {
  sessionUpdate: 'plan',
  entries: [
    { content: 'Read the notes', status: 'completed', priority: 'low' },
    { content: 'Use password=hunter2hunter2', status: 'pending', priority: 'low' },
  ],
};

it('the embedded runs service has the patch, with a link that works, and the plan, masked', async () => {
  const script = `cat >> notes.txt; echo '${JSON.stringify(plan)}'`;
  const environments = [shellEnvironment(script, { default: true })];
  const { service } = await startRunsService({ environments });
  const runsApi = { baseUrl: service.apiUrl, apiKey: testKey };
  const { workspace, ada } = await startedProduct({ runsApi });
  const shows = (words: string) =>
    workspace.until(() => {
      const text = textOf(ada.modal()?.content);
      return text.includes(words) && text;
    });
  await ada.types(general, '/agent run change the notes');
  const message = await runMessageShowing(workspace, 'View changes');
  expect(textOf(message.blocks)).toContain('*1 file +1 −0*');
  const at = { channelId: general, messageTs: message.ts };
  await ada.clicks(at, 'changes:view');
  const shown = await shows('+change the notes');
  expect(shown).toContain('`notes.txt` +1 −0');
  const [, url = ''] = /"text":"Download patch"[^}]*},"url":"([^"]+)"/.exec(shown) ?? [];
  expect(await (await fetch(url)).text()).toContain('+change the notes');
  await ada.closesModal();

  await ada.clicks(at, 'run:details');
  await shows('View plan');
  await ada.clicks({ view: await workspace.until(() => ada.modal()) }, 'plan:view');
  const planned = await shows('Read the notes');
  expect(planned).toContain('[x] Read the notes');
  expect(planned).not.toContain('hunter2');
});
