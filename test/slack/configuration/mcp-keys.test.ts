import { describe, expect, it } from 'vitest';
import {
  putKeysBack,
  readMcpServers,
  writeMcpServers,
} from '../../../src/slack/configuration/mcp-servers.ts';

const docs = {
  url: 'https://mcp.example.com',
  headers: { 'X-Key': 'hush-1', 'X-Other': 'hush-2' },
};
const local = { command: 'serve', args: ['--key', 'hush-3'], env: { KEY: 'hush-4' } };
const token = { url: 'https://token.example', token: 'hush-5' };
const servers = { docs, local, token };
const hidden = '(not shown)';

/** Submits this text in a field that was filled from the servers above. */
function submitted(text: string, kept: object | undefined = servers) {
  const { value = {} } = readMcpServers(text);
  return putKeysBack(value, { from: 'your defaults', servers: kept as typeof servers });
}

describe('MCP servers in a field', () => {
  it('show names and addresses, and no keys', () => {
    const shown = writeMcpServers(servers);
    expect(shown).not.toContain('hush');
    expect(Object.keys(JSON.parse(shown))).toEqual(['docs', 'local', 'token']);
    expect(shown).toContain('https://token.example');
    expect(writeMcpServers(undefined)).toBe('');
  });

  it('fit the field again that they were typed in', () => {
    const names = Array.from({ length: 60 }, (_, index) => `s${index}`);
    const all = names.map((name) => [name, { url: `https://mcp.example.com/${name}` }]);
    const typed = JSON.stringify(Object.fromEntries(all));
    expect(typed.length).toBeLessThan(3_000);
    const shown = writeMcpServers(readMcpServers(typed).value);
    expect(shown.length).toBeLessThanOrEqual(3_000);
    expect(JSON.parse(shown)).toEqual(JSON.parse(typed));
  });

  it.each([
    ['https://mcp.example.com/v1/sse', 'https://mcp.example.com/v1/sse'],
    ['https://mcp.example.com/', 'https://mcp.example.com/'],
    [
      'https://a.example/x?key=hush-1&b=hush-2',
      'https://a.example/x?key=(not shown)&b=(not shown)',
    ],
    ['https://a.example/?hush-1', 'https://a.example/?(not shown)'],
    ['https://ada:hush-1@a.example/x', 'https://(not shown)@a.example/x'],
    ['wss://hush-1@a.example/x#hush-2', 'wss://(not shown)@a.example/x#(not shown)'],
    ['https://a.example/s/4f2a9c81-hush-77d0-b1/mcp', 'https://a.example/s/(not shown)/mcp'],
    ['https://a.example/organisations/my-team', 'https://a.example/organisations/my-team'],
    ['$MCP_URL', '$MCP_URL'],
  ])('hide what may be a key in %s, and restore it', (url, shown) => {
    const kept = { docs: { url, headers: { A: 'hush-3' } } };
    const written = writeMcpServers(kept);
    expect(JSON.parse(written).docs.url).toBe(shown);
    expect(submitted(written, kept)).toEqual({ value: kept });
  });

  it('restore a key in an address only for that address', () => {
    const kept = { docs: { url: 'https://a.example/x?key=hush-1' } };
    const elsewhere = { docs: { url: 'https://evil.example/x?key=(not shown)' } };
    const { value, error } = submitted(JSON.stringify(elsewhere), kept);
    expect(value).toBeUndefined();
    expect(error).toContain('works only with');
  });

  it('are restored if the field did not change', () => {
    expect(submitted(writeMcpServers(servers))).toEqual({ value: servers });
  });

  it.each<[string, object, object]>([
    [
      'another key',
      { docs: { ...docs, headers: { 'X-Key': 'new', 'X-Other': hidden } } },
      { docs: { ...docs, headers: { 'X-Key': 'new', 'X-Other': 'hush-2' } } },
    ],
    [
      'another server',
      { mine: { url: 'https://a.example' } },
      { mine: { url: 'https://a.example' } },
    ],
    [
      'all new',
      { docs: { url: 'https://b.example', headers: { A: 'b' } } },
      { docs: { url: 'https://b.example', headers: { A: 'b' } } },
    ],
    [
      'an environment of its own',
      { local: { ...local, args: ['--key', 'mine'], env: { KEY: 'mine' } } },
      { local: { ...local, args: ['--key', 'mine'], env: { KEY: 'mine' } } },
    ],
  ])('accept what is typed: %s', (_, written, value) => {
    expect(submitted(JSON.stringify(written))).toEqual({ value });
  });

  it.each<[string, object, string]>([
    [
      'another address',
      { docs: { url: 'https://evil.example', headers: { 'X-Key': hidden } } },
      'works only with',
    ],
    [
      'another command',
      { local: { ...local, command: 'steal', env: { KEY: hidden } } },
      'works only with',
    ],
    [
      'other arguments',
      { local: { ...local, args: ['steal'], env: { KEY: hidden } } },
      'works only with',
    ],
    [
      'an address instead of a command',
      { local: { url: 'https://evil.example', env: { KEY: hidden } } },
      'works only with',
    ],
    [
      'a server with a header less',
      { docs: { ...docs, headers: { 'X-Other': hidden } } },
      'works only with',
    ],
    [
      'a server with a header more',
      { docs: { ...docs, headers: { 'X-Key': hidden, 'X-Other': hidden, Host: 'evil.example' } } },
      'works only with',
    ],
    [
      'a program with another environment',
      { local: { ...local, args: [hidden, hidden], env: { KEY: hidden, NODE_OPTIONS: '-r x' } } },
      'works only with',
    ],
    [
      'a program with another value in its environment',
      { local: { ...local, args: [hidden, hidden], env: { KEY: 'https://evil.example' } } },
      'works only with',
    ],
    ['a key that there is not', { docs: { ...docs, headers: { New: hidden } } }, 'works only with'],
    [
      'a server that there is not',
      { other: { url: docs.url, headers: { 'X-Key': hidden } } },
      'no longer saved (your setting)',
    ],
    [
      'a key around it',
      { docs: { ...docs, headers: { 'X-Key': `Bearer ${hidden}`, 'X-Other': hidden } } },
      'no longer saved (your setting)',
    ],
    [
      'an inherited member',
      { docs: { ...docs, headers: { toString: hidden } } },
      'works only with',
    ],
  ])('give no key to %s', (_, written, sentence) => {
    const { value, error } = submitted(JSON.stringify(written));
    expect(value).toBeUndefined();
    expect(error).toContain(sentence);
    expect(error).not.toContain('hush');
  });

  it('say so if nothing is saved any more, or never was', () => {
    const text = writeMcpServers(servers);
    expect(submitted(text, {}).error).toContain(
      'docs: the value for (not shown) is no longer saved',
    );
    const { value = {} } = readMcpServers(text);
    const never = putKeysBack(value, { from: undefined, servers: undefined });
    expect(never.error).toContain("there's no saved value");
  });
});
