import { readFileSync } from 'node:fs';
import { parseJson } from 'base/parse-json';
import { expect, it } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../packages/runs-service/test/support/runs-service.ts';
import { collect } from '../../packages/runs-service/test/support/serve-runs.ts';
import { startLine, typeLine } from '../support/checkout.ts';

const page = readFileSync(new URL('../../docs/runs-api.md', import.meta.url), 'utf8');

/** Blocks of the page in order. `next` is the block below, which shows what is printed. */
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  .map(([, language = '', text = '']) => ({ language, text }))
  .map((block, index, all) => ({ ...block, next: all[index + 1] }));

/** Prints the result that the page shows. Waits forever if the prompt isn't the one of the page. */
const agent = `case "$AGENT_PROMPT" in *login*) ;; *) sleep 1000 ;; esac
echo '{"sessionUpdate":"tool_call","toolCallId":"1","title":"npm test","kind":"execute"}'
echo '{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}'
echo '{"sessionUpdate":"usage_update","cost":{"amount":0.25,"currency":"USD"},"totalTokens":1200}'
echo '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"The test waits for the login now."}}'
echo three >> notes.txt`;

/** Turns documented JSON into a matcher. Responses can have more members, and other times and IDs. */
function shapeOf(documented: unknown): unknown {
  if (Array.isArray(documented)) return documented.map(shapeOf);
  if (typeof documented === 'object' && documented !== null) {
    const parts = Object.entries(documented).map(([name, part]) => [name, shapeOf(part)]);
    return expect.objectContaining(Object.fromEntries(parts));
  }
  if (typeof documented !== 'string') return documented;
  if (/^\d{4}-\d\d-\d\dT.*Z$/.test(documented)) return expect.stringMatching(/^\d{4}-.*Z$/);
  if (/^PT[\d.]+S$/.test(documented)) return expect.stringMatching(/^PT[\d.]+S$/);
  return documented.includes('…') ? expect.any(String) : documented;
}

/** Turns documented usage into a matcher, because runs of this test have other sums. */
function usageShapeOf(documented: object): unknown {
  const parts = Object.entries(documented).map(([name, part]) => [
    name,
    expect.any(typeof part === 'number' ? Number : Array.isArray(part) ? Array : String),
  ]);
  return expect.objectContaining(Object.fromEntries(parts));
}

/** Turns documented events into a pattern: other IDs, and data with the same members. */
const patternOf = (events: string): RegExp =>
  new RegExp(
    events
      .trim()
      .replaceAll(/id: \d+/g, 'id: \\d+')
      .replaceAll(/":"[^"]*"/g, '":"[^"]*"')
      .replaceAll(/[{}]/g, '\\$&'),
  );

async function startReader() {
  const { service, begin, until } = await startRunsService({
    environments: [shellEnvironment(agent, { id: 'website' })],
  });
  const folder = temporaryFolder();
  const variables: Record<string, string> = {};

  /** Puts the reader's own values into a block, and keeps its assignments for later blocks. */
  function prepare(text: string): string {
    const own = text
      .replace('http://127.0.0.1:4800', new URL(service.apiUrl).origin)
      .replace('sar_…', testKey)
      .replace(/updated_after=[\w:-]+/, 'updated_after=2026-01-01T00:00:00Z');
    return own.replaceAll(/^(\w+)="?([^"\n]*)"?\n/gm, (_, name: string, value: string) => {
      variables[name] ??= value;
      return '';
    });
  }

  return {
    begin,
    until,
    useRun(id: string): void {
      variables['run_id'] = id;
    },
    async types(text: string): Promise<string> {
      const { code, stdout } = await typeLine(folder, prepare(text), variables);
      expect(code, text).toBe(0);
      return stdout;
    },
    starts: (text: string) => startLine(folder, prepare(text), variables),
  };
}
type Reader = Awaited<ReturnType<typeof startReader>>;

/** Commands that print JSON, which is repeated until it's what the page shows. */
async function expectJson({ types, useRun }: Reader, text: string, shown: string): Promise<void> {
  let printed: unknown;
  const read = async () => {
    printed = parseJson(await types(text));
    return printed;
  };
  const documented = JSON.parse(shown);
  const isUsage = text.includes('/agent/usage');
  await expect.poll(read).toEqual(isUsage ? usageShapeOf(documented) : shapeOf(documented));
  if (text.includes('Idempotency-Key')) useRun((printed as { run_id: string }).run_id);
}

async function expectEvents({ starts, begin }: Reader, text: string, shown: string) {
  const stream = starts(text);
  const printed = collect(stream);
  await expect.poll(printed).toContain('data: {}');
  await begin({ prompt: 'Wait' });
  await expect.poll(printed).toMatch(patternOf(shown));
  stream.kill();
}

async function expectChanges({ types, begin, until, useRun }: Reader, text: string) {
  const active = await begin({ prompt: 'Wait' });
  await until(active, 'INPROGRESS');
  useRun(active);
  expect(await types(text)).toBe(`{"run_id":"${active}"}"${active}"`);
  await until(active, 'CANCELLED');
}

it('the commands of docs/runs-api.md print what the page shows, typed in its order', async () => {
  const reader = await startReader();
  const shown: string[] = [];
  for (const { language, text, next } of blocks) {
    if (language !== 'sh') continue;
    if (next?.language === 'json') await expectJson(reader, text, next.text);
    else if (next?.language === 'text') await expectEvents(reader, text, next.text);
    else if (text.includes('/cancel')) await expectChanges(reader, text);
    else await reader.types(text);
    shown.push(next?.language ?? '');
  }
  expect(shown).toEqual(['sh', ...['json', 'json', 'json', 'sh', 'json', 'json', 'text', 'json']]);
});
