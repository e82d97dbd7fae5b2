import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { routes } from '../../src/slack/routes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const most = 18;
/** One file for each of Slack's methods and payloads, named like it. */
const lists = ['methods', 'payloads'].map((name) => `packages/slack-stand-in/src/${name}`);

it('are small enough to find a file by its name', () => {
  const sizes = new Map<string, number>();
  for (const room of ['src', 'packages/runs-client/src', 'packages/slack-stand-in/src'])
    for (const name of readdirSync(root + room, { recursive: true, encoding: 'utf8' })) {
      const file = `${room}/${name}`;
      const folder = file.slice(0, file.lastIndexOf('/'));
      if (/\.tsx?$/.test(name)) sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
    }
  expect(sizes.size).toBeGreaterThan(100);
  const heaps = [...sizes].filter(([folder, size]) => size > most && !lists.includes(folder));
  expect(heaps).toEqual([]);
});

it('are there for each feature that the routes name', () => {
  const named = new Set(Object.values(routes).flatMap((kind) => Object.values(kind)));
  expect([...named].filter((name) => !existsSync(`${root}src/slack/${name}`))).toEqual([]);
});
