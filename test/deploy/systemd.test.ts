import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commands } from '../../src/bin/commands.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/deploy.md', root), 'utf8');
const [, unit = ''] = /```ini\n(\[Unit\][\s\S]*?)```/.exec(page) ?? [];
const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

it('the systemd unit of docs/deploy.md starts the program of a checkout, without npm in between', () => {
  const [node, program = '', command = '', ...more] = setting('ExecStart')?.split(' ') ?? [];
  expect(node).toMatch(/\/node$/);
  expect(existsSync(new URL(program, root))).toBe(true);
  expect(Object.keys(commands)).toContain(command);
  expect(more).toEqual([]);
});

it('the systemd unit of docs/deploy.md stops the bot first and its agents later, with time for both', () => {
  expect(setting('KillMode')).toBe('mixed');
  // The bot exits within ten seconds, so systemd has to wait longer.
  expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(10);
});
