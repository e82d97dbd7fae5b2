import { expect, it } from 'vitest';
import { readMcpServers } from '../../../src/slack/configuration/mcp-servers.ts';

it.each([
  ['[]', 'map of servers'],
  ['null', 'map of servers'],
  ['{"docs": {}}', 'exactly one of'],
  ['{"docs": {"command": "a", "url": "b"}}', 'exactly one of'],
  ['{"docs": {"url": 5}}', 'docs → url must be text in quotes'],
  ['{"docs": {"command": "a", "args": "b"}}', 'docs → args must be a list in brackets'],
  ['{"docs": {"url": "a", "headers": []}, "x": []}', 'docs → headers must be a map in braces'],
  ['{\n  "docs": {"url": "https://a.example"},\n  oops\n}', 'in line 3'],
  ['{“docs”: {}}', 'Use straight quotes'],
  ['{" docs": {"url": "a"}}', 'no spaces around it'],
])('MCP servers %s are rejected with a reason', (json, sentence) => {
  const { value, error } = readMcpServers(json);
  expect(error).toContain(sentence);
  expect(value).toBeUndefined();
});
