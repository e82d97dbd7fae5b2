import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createModelCalls } from '../src/store/model-calls.ts';
import { createUsageSums } from '../src/store/usage-sums.ts';
import { runUsageCommand } from '../src/usage-command.ts';
import { openTestDatabase } from './support/databases.ts';
import { temporaryFolder } from './support/runs-service.ts';
import {
  aCall,
  anActiveRun,
  aSettledCall,
  callOwner,
} from './support/service/model-call-builder.ts';

async function printed(args: readonly string[], db?: Awaited<ReturnType<typeof openTestDatabase>>) {
  const lines: string[] = [];
  await runUsageCommand(args, {
    print: (line) => void lines.push(line),
    withUsage: (work) => {
      if (!db) throw new Error('this command needs no database');
      return work(createUsageSums(db));
    },
  });
  return lines;
}

describe('slash-agent usage export', () => {
  it('prints calls as CSV, with no cell that a spreadsheet runs as a formula', async () => {
    const db = await openTestDatabase('sqlite::memory:');
    const calls = createModelCalls(db);
    const runId = await anActiveRun(db);
    const hostile = ['=HYPERLINK("http://x")', '+1', '-1', '@SUM(A1)', 'a,"b"\nc'];
    for (const model of hostile) {
      const call = aCall(runId, { model });
      await calls.reserve(call, []);
      await calls.settle(call.id, callOwner, aSettledCall({ priceMicros: 1_234_567 }));
    }
    const [heading, ...rows] = await printed(['export', '--since', '2026-01-01'], db);
    expect(heading).toMatch(/^started_at,ended_at,run_id,environment,/);
    expect(rows.map((row) => row.split(/,anthropic,|,claude-opus-5-5,200/)[1]).toSorted()).toEqual([
      `"'=HYPERLINK(""http://x"")"`,
      '"a,""b""\nc"',
      "'+1",
      "'-1",
      "'@SUM(A1)",
    ]);
    for (const row of rows) expect(row).toContain(',1000,0,0,100,0,1.234567,0,anthropic/');
    expect(await printed(['export', '--until', '2020-01-01'], db)).toEqual([heading]);
    await db.destroy();
  });

  it.each([[], ['export', 'x'], ['export', '--since', 'soon'], ['prices', 'a', 'b'], ['else']])(
    'rejects other arguments: %j %j %j',
    async (...args) => {
      await expect(printed(args.filter(Boolean))).rejects.toThrow('Usage:');
    },
  );
});

describe('slash-agent usage prices', () => {
  it('prints the price list of each API', async () => {
    const lines = await printed(['prices']);
    expect(lines).toContainEqual(expect.stringMatching(/^anthropic +claude-opus-5-5 +4 +0.2 +20$/));
    expect(lines).toContainEqual(expect.stringMatching(/^openai +gpt-6-sol +4 +0.4 +15$/));
    expect(lines).toContainEqual(expect.stringMatching(/^gemini +gemini-3.8-flash /));
  });

  it('prints the prices of a file, which replace those of the list', async () => {
    const file = join(temporaryFolder(), 'environments.yml');
    const provider = { api: 'openai', prices: { 'gpt-6-sol': { input: 1, output: 2 } } };
    const environment = {
      id: 'one',
      repositories: [{ url: '/r' }],
      command: ['true'],
      models: ['own'],
    };
    writeFileSync(file, JSON.stringify({ environments: [environment], models: { own: provider } }));
    const lines = await printed(['prices', file]);
    const prices = lines.filter((line) => line.includes(' gpt-6-sol '));
    expect(prices).toEqual([expect.stringMatching(/^own +gpt-6-sol +1 +1 +2$/)]);
  });
});
