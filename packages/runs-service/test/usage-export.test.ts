import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { run } from '../src/commands/usage.ts';
import { temporaryFolder } from './support/runs-service.ts';

it('slash-agent usage export prints no empty bill of a database that the service never used', async () => {
  const file = join(temporaryFolder(), 'other.db');
  vi.stubEnv('DATABASE_URL', `sqlite:${file}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(run(['export'])).rejects.toThrow('Check DATABASE_URL and DATA_DIR.');
});
