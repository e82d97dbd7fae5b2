import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from 'base/database/database';
import { ExplainedError } from 'base/explained-error';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../../packages/base/test/support/free-port.ts';
import { temporaryFolder } from '../../../packages/runs-service/test/support/runs-service.ts';

describe("a database that can't be opened", () => {
  it.each([
    ['a folder that is a file', async () => `sqlite:${join(aFile(), 'bot.db')}`],
    ['a file that is no database', async () => `sqlite:${aFile()}`],
    [
      "a server that doesn't exist",
      async () => `postgres://me:hush@127.0.0.1:${await freePort()}/x`,
    ],
  ])('is explained, without its password: %s', async (_, urlOf) => {
    const error = await openDatabase(await urlOf(), []).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ExplainedError);
    expect(String(error)).toMatch(/\(.+\)\. Check DATABASE_URL/);
    expect(String(error)).not.toContain('hush');
  });
});

function aFile(): string {
  const file = join(temporaryFolder(), 'a-file');
  writeFileSync(
    file,
    'this is prose, and long enough not to be taken for an empty database\n'.repeat(20),
  );
  return file;
}
