import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { routes } from '../../src/slack/routes.ts';

const slack = fileURLToPath(new URL('../../src/slack/', import.meta.url));

it('routes name folders that are there', () => {
  const named = new Set(Object.values(routes).flatMap((kind) => Object.values(kind)));
  expect([...named].filter((name) => !existsSync(slack + name))).toEqual([]);
});
