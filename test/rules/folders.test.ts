import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { routes } from '../../src/slack/routes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

it('has a folder for each feature that the routes name', () => {
  const named = new Set(Object.values(routes).flatMap((kind) => Object.values(kind)));
  expect([...named].filter((name) => !existsSync(`${root}src/slack/${name}`))).toEqual([]);
});
