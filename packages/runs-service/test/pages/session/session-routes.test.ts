import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createRepository,
  type StartedService,
  shellEnvironment,
  startRunsService,
} from '../../support/runs-service.ts';

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>' &amp; {{x}}`;

async function sessionOf(service: StartedService, body: object, ...states: string[]) {
  const id = await service.begin(body);
  const run = await service.until(id, ...states);
  return { run, link: run.session_link ?? '' };
}

/** Returns the opening tags of a page. */
const tagsOf = (page: string) => new Set(page.match(/<[a-z][a-z0-9]*/g));

describe('the session page', () => {
  it('shows hostile prompts, output, file names and metadata as text', async () => {
    const url = createRepository({ 'a.txt': 'one\n' });
    const service = await startRunsService({
      environments: [
        {
          id: 'shell',
          network_note: `nothing but <img src=x>`,
          isolation: 'none',
          repositories: [{ url }],
          command: [
            'sh',
            '-c',
            'cat; cat > "<script>x.html"; printf "\\033[31m<b>red</b>" >&2; exit 1',
          ],
        },
      ],
    });
    const config = {
      name: hostile,
      model_id: hostile,
      base_prompt: hostile,
      mcp_servers: {
        [hostile]: { url: 'https://u:hunter2@x.test/?key=hunter3', headers: { A: 'hunter4' } },
      },
    };
    const metadata = {
      link: 'https://x.test/"onmouseover="alert(1)',
      other: 'javascript:alert(1)',
    };
    const { link } = await sessionOf(
      service,
      { prompt: hostile, title: hostile, config, metadata },
      'FAILED',
    );
    const answer = await fetch(link);
    const page = await answer.text();
    expect(page).toContain('nothing but &lt;img');
    expect(page).not.toContain('<script>');
    expect(page).not.toContain('<img');
    expect(page).not.toContain('<b>');
    expect(page).not.toMatch(/<[^>]* on\w+=/);
    expect(page).not.toMatch(/hunter[234]/);
    expect(page).not.toContain('href="javascript');
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(
      [...tagsOf(page)].filter((tag) => ['<iframe', '<form', '<object'].includes(tag)),
    ).toEqual([]);
    const csp = answer.headers.get('content-security-policy') ?? '';
    expect(csp).toContain("default-src 'none'");
    expect(csp).not.toContain('unsafe');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('shows the changes, and downloads the log and the patch', async () => {
    const service = await startRunsService({
      environments: [shellEnvironment('echo three >> notes.txt; echo fine')],
    });
    const { link } = await sessionOf(service, { prompt: 'add a line' }, 'SUCCEEDED', 'FAILED');
    const page = await (await fetch(link)).text();
    expect(page).toContain('Succeeded');
    expect(page).toContain('notes.txt');
    expect(page).toContain('<tr class="added"><td class="n"></td><td class="n">3</td>');
    expect(await (await fetch(`${link}/output.log`)).text()).toBe('fine\n');
    const patch = await fetch(`${link}/changes.patch`);
    expect(await patch.text()).toContain('+three');
    expect(patch.headers.get('content-disposition')).toMatch(/^attachment;.*'changes\.patch$/);
    for (const asset of ['session.css', 'session.js'])
      expect((await fetch(`${service.service.url}/session-assets/${asset}`)).status).toBe(200);
  });

  it('is not found by run id or guess', async () => {
    const service = await startRunsService({ environments: [shellEnvironment('true')] });
    const { run, link } = await sessionOf(service, { prompt: 'x' }, 'SUCCEEDED');
    expect(link).not.toContain(run.run_id);
    for (const guess of [run.run_id, link.slice(0, -1).split('/').at(-1) ?? ''])
      expect((await fetch(`${service.service.url}/session/${guess}`)).status).toBe(404);
  });
});

/** Reads server-sent events until one matches. */
async function eventsUntil(link: string, isLast: (event: string, data: string) => boolean) {
  const answer = await fetch(`${link}/events?from=0`);
  const reader = (answer.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  const events: { event: string; data: string }[] = [];
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return events;
    text += value;
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(part)?.[1] ?? '';
      events.push({ event: field('event'), data: field('data') });
      if (isLast(field('event'), field('data'))) {
        await reader.cancel();
        return events;
      }
    }
  }
}

describe('the live session', () => {
  it('shows a follow-up at once', async () => {
    const service = await startRunsService({ environments: [shellEnvironment('sleep 1000')] });
    const { run, link } = await sessionOf(service, { prompt: 'x' }, 'INPROGRESS');
    await service.request(`/agent/runs/${run.run_id}/followups`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'and the <tests>' }),
    });
    const page = await (await fetch(link)).text();
    const prompt = /<section id="prompt">.*?<\/section>/s.exec(page)?.[0];
    expect(prompt).toContain('and the &lt;tests&gt;');
    const script = await (await fetch(`${service.service.url}/session-assets/session.js`)).text();
    const [, refreshed = ''] = /'changed', \(\) => refresh\((.*?)\)/.exec(script) ?? [];
    expect(refreshed).toContain("'#prompt'");
    for (const [, id] of refreshed.matchAll(/'#(\w+)'/g)) expect(page).toContain(`id="${id}"`);
  });

  it('streams escaped output until the run ends', async () => {
    const service = await startRunsService({
      environments: [
        shellEnvironment('echo "<i>one</i>"; until [ -e ../../go ]; do sleep 0.02; done; echo two'),
      ],
    });
    const { run, link } = await sessionOf(service, { prompt: 'x' }, 'INPROGRESS');
    const first = await eventsUntil(link, (event) => event === 'output');
    expect(first.at(-1)?.data).toBe(JSON.stringify('&lt;i&gt;one&lt;/i&gt;\n'));
    writeFileSync(join(service.dataDir, 'work', run.run_id, 'go'), '');
    const all = await eventsUntil(link, (event) => event === 'end');
    const output = all
      .filter(({ event }) => event === 'output')
      .map(({ data }) => JSON.parse(data));
    expect(output.join('')).toBe('&lt;i&gt;one&lt;/i&gt;\ntwo\n');
  });

  it('asks proxies to pass each event on, and shows that it is alive while nothing happens', async () => {
    const service = await startRunsService({ environments: [shellEnvironment('sleep 1000')] });
    const { link } = await sessionOf(service, { prompt: 'x' }, 'INPROGRESS');
    const answer = await fetch(`${link}/events`);
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    const texts = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
    let seen = '';
    for await (const text of texts) {
      seen += text;
      if (seen.includes(': alive\n\n')) break;
    }
    expect(seen).toContain(': alive');
  });

  it('ends when the service stops', async () => {
    const service = await startRunsService({ environments: [shellEnvironment('sleep 1000')] });
    const { link } = await sessionOf(service, { prompt: 'x' }, 'INPROGRESS');
    const answer = await fetch(`${link}/events`);
    await service.service.stop();
    await expect(answer.text().catch(() => 'cut')).resolves.toBeTypeOf('string');
  });
});
