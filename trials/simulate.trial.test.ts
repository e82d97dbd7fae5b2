import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { bundle } from '../packages/base/test/support/bundle.ts';

/** Runs the simulation in a separate process, because it replaces the time. */
async function simulate(...options: string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [bundle('trials/simulate/run.ts'), ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  const [status] = await once(child, 'close');
  return { status, output };
}

const hashOf = (output: string, seed: number): string | undefined =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): { seed: number; hash: string } => JSON.parse(line))
    .find((line) => line.seed === seed)?.hash;

describe('the simulation', () => {
  it('keeps every promise', { timeout: 1_800_000 }, async () => {
    const { SIMULATE_SEEDS: seeds = '500' } = process.env;
    const { status, output } = await simulate('--seeds', seeds);
    expect(output).toContain(`${seeds} seeds, 0 fail`);
    expect(status).toBe(0);
  });

  it('does the same for the same seed, alone or after others', async () => {
    const [seed, before] = [9, 6];
    const worker = ['--worker', '--seeds', String(seed)];
    const hashFrom = async (from: number) =>
      hashOf((await simulate(...worker, '--from', String(from))).output, seed);
    const alone = await hashFrom(seed);
    const after = await hashFrom(before);
    expect(alone).toMatch(/^[0-9a-f]{18}$/);
    expect(after).toBe(alone);
  });
});
