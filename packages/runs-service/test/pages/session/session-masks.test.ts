import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createRepository,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../support/runs-service.ts';

const secret = `ghp_${'a1B2'.repeat(9)}`;
const dashes = '-'.repeat(5);
const key = [`${dashes}BEGIN PRIVATE KEY${dashes}`, 'MIIEabc', `${dashes}END PRIVATE KEY${dashes}`];

async function signInTo(url: string): Promise<string> {
  const body = new URLSearchParams({ key: testKey });
  const signIn = { method: 'POST', body, redirect: 'manual' } as const;
  const { headers } = await fetch(`${url}/runs`, signIn);
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

describe('what looks like a key', () => {
  it('is masked in everything that a session page shows', async () => {
    const service = await startRunsService({
      environments: [shellEnvironment(`echo "printed ${secret}"; sleep 60`)],
    });
    const id = await service.begin({
      prompt: `Push with ${secret}`,
      title: `Title ${secret}`,
      config: { base_prompt: `Use ${secret}`, name: secret, model_id: secret },
      metadata: { token: 'hunter2-hunter2-x', note: `see ${secret}` },
    });
    const run = await service.until(id, 'INPROGRESS');
    const link = run.session_link ?? '';
    await service.request(`/agent/runs/${id}/followups`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: `and ${secret}` }),
    });
    await service.printed(id, 'printed');
    const live = await fetch(`${link}/events?from=0`);
    const reader = (live.body as ReadableStream<Uint8Array>).getReader();
    const first = Buffer.from((await reader.read()).value ?? []).toString();
    await reader.cancel();
    const page = await (await fetch(link)).text();
    const log = await (await fetch(`${link}/output.log`)).text();
    for (const text of [page, log, first]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain('hunter2');
      expect(text).toContain('printed [masked secret 1]');
    }
    expect(page.match(/\[masked secret 1\]/g)?.length).toBeGreaterThanOrEqual(9);
    expect((await service.get(id)).prompt).toContain(secret);
  });

  it('is masked in the reason of a failure', async () => {
    const service = await startRunsService({
      environments: [shellEnvironment(`echo "no access with ${secret}" >&2; exit 1`)],
    });
    const run = await service.until(await service.begin({ prompt: 'x' }), 'FAILED');
    expect(run.status_message?.message).toContain('no access with [masked secret 1]');
  });

  it('is in the exact patch only, for those who sign in', async () => {
    const files = { 'a.txt': `one\n${secret}\nthree\n`, 'b.txt': 'one\n' };
    const url = createRepository(files);
    const added = [`TOKEN=${secret}`, ...key].map((line) => `echo "${line}" >> b.txt`).join('\n');
    const service = await startRunsService({
      environments: [shellEnvironment(added, { repositories: [{ url }] })],
    });
    const run = await service.until(await service.begin({ prompt: 'x' }), 'SUCCEEDED', 'FAILED');
    const link = run.session_link ?? '';
    const page = await (await fetch(link)).text();
    expect(page).toContain('2 values look like secrets and are masked.');
    const masked = await (await fetch(`${link}/changes.patch`)).text();
    for (const text of [page, masked])
      for (const each of [secret, 'MIIE']) expect(text).not.toContain(each);
    expect((await fetch(`${link}/exact.patch`)).status).toBe(401);
    const cookie = await signInTo(service.service.url);
    const exact = await (await fetch(`${link}/exact.patch`, { headers: { cookie } })).text();
    expect(exact).toContain(secret);
    for (const patch of [masked, exact]) {
      const copy = temporaryFolder();
      execFileSync('git', ['clone', '--quiet', url, copy], { stdio: 'pipe' });
      writeFileSync(join(copy, '.git', 'patch'), patch);
      execFileSync('git', ['apply', '.git/patch'], { cwd: copy });
      const lines = readFileSync(join(copy, 'b.txt'), 'utf8').split('\n');
      expect(lines).toHaveLength(6);
    }
  });

  it("isn't in files that the link opens, and other files need a sign-in", async () => {
    const service = await startRunsService({
      environments: [
        shellEnvironment(
          `cd "$AGENT_ARTIFACTS_DIR" && echo "TOKEN=${secret}" > log.txt && printf '\\0${secret}' > data.bin`,
        ),
      ],
    });
    const run = await service.until(await service.begin({ prompt: 'x' }), 'SUCCEEDED', 'FAILED');
    const page = await (await fetch(run.session_link ?? '')).text();
    const links = [...page.matchAll(/href="([^"]+\/(files|exact)\/[^"]+)"/g)].map(
      ([, at = '']) => at,
    );
    const [exactData = '', masked = '', exactLog = ''] = links.map(
      (at) => new URL(at, run.session_link ?? '').href,
    );
    expect(links).toHaveLength(3);
    const text = await fetch(masked);
    expect(text.headers.get('content-disposition')).toContain('log.txt');
    expect(await text.text()).toBe('TOKEN=[masked secret 1]\n');
    for (const exact of [exactData, exactLog]) expect((await fetch(exact)).status).toBe(401);
    expect((await fetch(exactData.replace('/exact/', '/files/'))).status).toBe(404);
    const cookie = await signInTo(service.service.url);
    const log = await fetch(exactLog, { headers: { cookie } });
    expect(await log.text()).toBe(`TOKEN=${secret}\n`);
    const data = await fetch(exactData, { headers: { cookie } });
    expect(await data.text()).toBe(`\0${secret}`);

    const other = await service.until(await service.begin({ prompt: 'y' }), 'SUCCEEDED', 'FAILED');
    const elsewhere = masked.replace(run.session_link ?? '', other.session_link ?? '');
    expect(elsewhere).not.toBe(masked);
    expect((await fetch(elsewhere)).status).toBe(404);
  });

  it('is nowhere on the page of a patch without any', async () => {
    const service = await startRunsService({
      environments: [shellEnvironment('echo three >> notes.txt')],
    });
    const run = await service.until(await service.begin({ prompt: 'x' }), 'SUCCEEDED', 'FAILED');
    expect(await (await fetch(run.session_link ?? '')).text()).not.toContain('masked');
  });
});
