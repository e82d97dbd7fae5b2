import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { followSession } from '../../../src/pages/session/session-live.ts';
import { harnessEvents } from '../../harnesses/steps/harness-events.ts';
import { createRepository, startRunsService, temporaryFolder } from '../../support/runs-service.ts';

const hostile = `</div><script>alert(1)</script>"'><img src=x onerror=alert(1)>`;

/** Creates an environment whose agent prints these lines. */
function printing(lines: readonly unknown[]): ServiceEnvironment {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const url = createRepository({ 'events.txt': `${text.join('\n')}\n` });
  const command = ['sh', '-c', 'cat events.txt'];
  return { id: 'shell', isolation: 'none', repositories: [{ url }], command };
}

async function pageOf(lines: readonly unknown[]) {
  const service = await startRunsService({ environments: [printing(lines)] });
  const id = await service.begin({ prompt: 'x' });
  const run = await service.until(id, 'SUCCEEDED', 'FAILED');
  return { run, page: await (await fetch(run.session_link ?? '')).text() };
}

const claudeEnd = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Done.',
  total_cost_usd: 0.25,
  usage: { input_tokens: 1000, output_tokens: 234 },
};

describe('the output of a known harness', () => {
  it('is shown as steps, mixed with other output', async () => {
    const { page } = await pageOf(['warming up', ...harnessEvents.map(([, event]) => event)]);
    expect(page).toContain('warming up\n');
    expect(page).toContain('<b>Bash</b> <code dir="ltr">ls -la</code>');
    expect(page).toContain('<div class="step result">a.txt</div>');
    expect(page).toContain('<div class="step result bad">gone</div>');
    expect(page).toContain('<span class="says" dir="auto">I lo</span>');
    expect(page).toContain('Finished · 4,330 tokens, $0.25');
    expect(page).not.toContain('&quot;type&quot;');
  });

  it('shows hostile words, names, inputs and results as text', async () => {
    const content = [
      { type: 'text', text: hostile },
      { type: 'thinking', thinking: hostile },
      { type: 'tool_use', name: hostile, input: { command: hostile } },
      { type: `${hostile}` },
    ];
    const result = [{ type: 'tool_result', content: `\u001b[31m${hostile}\u202e`, is_error: true }];
    const { page } = await pageOf([
      { type: 'assistant', message: { content } },
      { type: 'user', message: { content: result } },
      { ...claudeEnd, is_error: true, result: hostile },
    ]);
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toContain('<img');
    expect(page).not.toContain('\u202e');
    expect(page).not.toMatch(/<[^>]* on\w+=/);
  });

  it('folds long results, keeps the raw log whole, and becomes the usage of the run', async () => {
    const text = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n');
    const event = { type: 'user', message: { content: [{ type: 'tool_result', content: text }] } };
    const { run, page } = await pageOf([event, claudeEnd]);
    expect(page).toContain('<summary>50 lines</summary>');
    const log = await (await fetch(`${run.session_link}/output.log`)).text();
    expect(log).toBe(`${JSON.stringify(event)}\n${JSON.stringify(claudeEnd)}\n`);
    expect(run.request_usage).toEqual({ inference_cost_usd: 0.25, total_tokens: 1234 });
    expect(page).toContain('Used 1,234 tokens, $0.25');
  });
});

it('an event that is longer than one read comes live as one step', async () => {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const outputFile = join(folder, 'output.log');
  const text = 'word '.repeat(60_000);
  const event = { type: 'assistant', message: { content: [{ type: 'text', text }] } };
  writeFileSync(outputFile, `${JSON.stringify(event)}\nafter\n`);
  const session = {
    outputFile,
    from: 0,
    version: 1,
    poll: async () => ({ updatedAt: 1, ended: true }),
    signal: new AbortController().signal,
  };
  const seen: string[] = [];
  for await (const live of followSession(session)) {
    const [, data] = /^event: output\nid: \d+\ndata: (.*)$/m.exec(live) ?? [];
    if (data !== undefined) seen.push(JSON.parse(data));
  }
  expect(seen.join('')).toBe(`<div class="step says" dir="auto">${text}</div>after\n`);
});
