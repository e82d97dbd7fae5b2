import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Artifact } from 'runs-client/artifact';
import type { Run } from 'runs-client/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pruneFolder } from '../../src/execution/files/prune-folder.ts';
import { createArtifactStore } from '../../src/store/artifacts.ts';
import { openTestDatabase } from '../support/databases.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';
import { artifact, contentOf, listed, names, runOf } from './artifacts-bed.ts';

async function timeline(run: Run): Promise<string> {
  return (await fetch(run.session_link ?? '')).text();
}

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('a run that changed files', () => {
  it('has the patch as a file with a link that needs no key; it is stored encrypted, for this user only', async () => {
    const { service, run } = await runOf('echo three >> notes.txt');
    const folder = join(service.dataDir, 'artifacts');
    const [name = ''] = readdirSync(folder);
    const stored = readFileSync(join(folder, name));
    expect(stored.includes('three')).toBe(false);
    expect(createHash('sha256').update(stored).digest('hex')).toBe(name);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const [file] = listed(run, 'FILE');
    expect(file).toMatchObject({
      filename: 'changes.patch',
      filepath: 'changes.patch',
      mime_type: 'text/x-diff',
    });
    const found = await artifact(service, file?.artifact_uid);
    expect(found).toMatchObject({ artifact_type: 'FILE', artifact_uid: file?.artifact_uid });
    expect(found.data).toMatchObject({ filename: 'changes.patch', content_type: 'text/x-diff' });
    const answer = await fetch(found.data.download_url ?? '');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/x-diff; charset=utf-8',
      'content-disposition': "attachment; filename*=UTF-8''changes.patch",
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'content-length': String(found.data.size_bytes),
    });
    const patch = await answer.text();
    const saved = join(service.dataDir, 'transcripts', run.run_id, 'changes.patch');
    expect(patch).toBe(readFileSync(saved, 'utf8'));
    expect(patch).toContain('+three');
  });
});

describe('what an agent leaves in its folder', () => {
  it('is kept: images by their content, and files', async () => {
    const { service, run } = await runOf(
      `cd "$AGENT_ARTIFACTS_DIR" && mkdir -p shots && printf '${[...png].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}' > shots/login.txt
       echo not an image > fake.png; printf '%%PDF-1.7 x' > 'a report'; : > empty`,
    );
    expect(listed(run, 'SCREENSHOT')).toMatchObject([
      { mime_type: 'image/png', description: 'login.txt' },
    ]);
    expect(listed(run, 'FILE').map(({ filename, mime_type }) => [filename, mime_type])).toEqual([
      ['a report', 'application/pdf'],
      ['empty', 'text/plain'],
      ['fake.png', 'text/plain'],
    ]);
    expect(await contentOf(service, run, 'login.txt')).toEqual(png);
    expect((await contentOf(service, run, 'fake.png')).toString()).toBe('not an image\n');
    expect(await contentOf(service, run, 'empty')).toHaveLength(0);
  });

  it('is a reference if it is an internet shortcut to the web', async () => {
    const { run } = await runOf(
      `cd "$AGENT_ARTIFACTS_DIR" && printf '[InternetShortcut]\\r\\nURL=https://preview.example/7?a=1\\r\\n' > 'Preview of login.url'
       echo 'URL=javascript:alert(1)' > script.url; echo 'URL=https://me:word@x.test' > word.url`,
    );
    expect(run.artifacts).toMatchObject([
      {
        artifact_type: 'EXTERNAL_REFERENCE',
        data: {
          reference_type: 'LINK',
          url: 'https://preview.example/7?a=1',
          title: 'Preview of login',
        },
      },
      { artifact_type: 'FILE', data: { filename: 'script.url', mime_type: 'text/plain' } },
      { artifact_type: 'FILE', data: { filename: 'word.url' } },
    ]);
  });

  it('has safe names and no secrets, and is kept when the run fails', async () => {
    const file = join(temporaryFolder(), 'secret');
    writeFileSync(file, 'hunter2-hunter2');
    const { service, run } = await runOf(
      `cd "$AGENT_ARTIFACTS_DIR" && echo 1 > "$(printf 'a\\nb\\033[31m.txt')" && echo 2 > -rf && echo 3 > '..evil' &&
       echo 4 > "$(printf '\\377.bin')" && echo 5 > "x'; rm -rf ~" && printf "key: $TOKEN" > "$TOKEN.txt"; exit 1`,
      { secret_files: { TOKEN: file } },
    );
    expect(run.state).toBe('FAILED');
    const shown = ['-rf', '..evil', 'a b.txt', "x'; rm -rf ~", '[secret].txt'];
    expect(names(run).sort()).toEqual(shown.sort());
    for (const [name, content] of [
      ['-rf', '2\n'],
      ['a b.txt', '1\n'],
      ['[secret].txt', 'key: [secret]'],
    ] as const)
      expect((await contentOf(service, run, name)).toString()).toBe(content);
  });

  it("isn't followed if it is a link, and skipped if it isn't a file", async () => {
    const { run } = await runOf(
      `cd "$AGENT_ARTIFACTS_DIR" && ln -s /etc/passwd passwd && ln -s / root && mkfifo pipe &&
       echo ok > ok && echo closed > closed && chmod 000 closed && mkdir shut && echo x > shut/x && chmod 000 shut`,
    );
    const isRoot = process.getuid?.() === 0;
    expect(names(run)).toEqual(isRoot ? ['closed', 'ok', 'x'] : ['ok']);
    if (!isRoot) expect(await timeline(run)).toContain('Didn&#39;t save closed');
  });

  it('is limited in size, number and total, and the timeline says so', async () => {
    const limits = { files: 5, fileBytes: 1024 * 1024, totalBytes: 1_500_000 };
    const { run } = await runOf(
      `cd "$AGENT_ARTIFACTS_DIR" && truncate -s 1T huge && truncate -s 1048576 a.bin && truncate -s 1000000 b.bin &&
       for i in $(seq 3000); do : > z$i; done`,
      {},
      { artifactLimits: limits },
    );
    expect(names(run)).toEqual(['a.bin']);
    const page = await timeline(run);
    expect(page).toContain('Didn&#39;t save huge (larger than 1 MiB), b.bin (too large together)');
    expect(page).toMatch(/and 2\d\d\d more/);
  });
});

it('a long answer is a file as a whole, and a plan is an artifact in Markdown', async () => {
  const line = 'A line of the answer with 44 characters in it';
  const { service, run } = await runOf(
    `echo '{"sessionUpdate":"plan","entries":[{"content":"Look","status":"completed"},{"content":"Fix it","status":"pending"}]}'
     printf '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}\\n' "$(yes '${line}' | head -200 | tr '\\n' ' ')"`,
  );
  expect(run.status_message?.message).toHaveLength(4_000);
  expect(names(run)).toEqual(['answer.md']);
  const answer = await contentOf(service, run, 'answer.md');
  expect(answer.toString()).toBe(`${line} `.repeat(200).trim());
  const [plan] = listed(run, 'PLAN');
  expect(await artifact(service, plan?.artifact_uid)).toMatchObject({
    artifact_type: 'PLAN',
    data: { content: '- [x] Look\n- [ ] Fix it', content_type: 'text/markdown' },
  });
});

describe('an artifact', () => {
  it("doesn't exist for a key that may not see its run, or without its signature", async () => {
    const owner = (uid: string) => ({
      key: `key-of-${uid}`,
      role: 'own' as const,
      creator: { type: 'user' as const, uid, display_name: uid },
    });
    const service = await startRunsService({
      environments: [shellEnvironment('echo x > notes.txt')],
      keys: [owner('ada'), owner('bob')],
    });
    const as = (uid: string) => ({ headers: { authorization: `Bearer key-of-${uid}` } });
    const created = await service.create({ prompt: 'x' }, as('ada').headers);
    const { run_id: id } = (await created.json()) as { run_id: string };
    const path = `/agent/runs/${id}`;
    const read = async () => (await (await service.request(path, as('ada'))).json()) as Run;
    await expect.poll(async () => (await read()).state).toBe('SUCCEEDED');
    const uid = listed(await read(), 'FILE')[0]?.artifact_uid;
    const get = (reader: string, of = uid) => service.request(`/agent/artifacts/${of}`, as(reader));
    const rejected = await get('bob');
    expect(rejected.status).toBe(404);
    expect(await rejected.text()).not.toContain(id);
    expect((await get('ada', 'none')).status).toBe(404);
    const { data } = (await (await get('ada')).json()) as Artifact;
    const link = new URL(data.download_url ?? '');
    expect((await fetch(link)).status).toBe(200);
    link.searchParams.set('expires', String(Number(link.searchParams.get('expires')) + 1));
    expect((await fetch(link)).status).toBe(404);
    expect((await fetch(`${link.origin}${link.pathname}`)).status).toBe(404);
  });

  it('is deleted 30 days after its run, with its content', async () => {
    const db = await openTestDatabase('sqlite::memory:');
    onTestFinished(() => db.destroy());
    const dataDir = temporaryFolder();
    const { service, run } = await runOf('echo x > notes.txt', {}, { db, dataDir });
    const folder = join(dataDir, 'artifacts');
    const past = Date.now() - 31 * 24 * 60 * 60_000;
    const artifacts = createArtifactStore(db);
    const [stored] = (await artifacts.ofRuns([run.run_id])).get(run.run_id) ?? [];
    await artifacts.deleteBefore(past);
    await pruneFolder(folder, 60_000);
    expect(readdirSync(folder)).toEqual([stored?.data.file?.contentName]);

    for (const name of readdirSync(folder))
      utimesSync(join(folder, name), past / 1000, past / 1000);
    await pruneFolder(folder, 30 * 24 * 60 * 60_000);
    expect(readdirSync(folder)).toEqual([]);
    const { data } = await artifact(service, stored?.uid);
    expect((await fetch(data.download_url ?? '')).status).toBe(404);
    await artifacts.deleteBefore(Date.now() + 1);
    expect((await service.get(run.run_id)).artifacts).toEqual([]);
  });
});

it('a file has an address for the caller and, behind a proxy, another one for browsers', async () => {
  const publicUrl = 'https://runs.example.org/agents';
  const { service, run } = await runOf('echo three >> notes.txt', {}, { publicUrl });
  const { data } = await artifact(service, listed(run, 'FILE')[0]?.artifact_uid);
  expect(data.download_url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  const { pathname, search } = new URL(data.download_url ?? '');
  expect(data.browser_url).toBe(`${publicUrl}${pathname}${search}`);
});
