import { describe, expect, it } from 'vitest';
import { type McpPolicy, withAllowedServers } from '../../src/harnesses/harness-input.ts';

describe('MCP servers of a request', () => {
  const mcp_servers = { far: { url: 'https://x.test' }, near: { command: 'x' } };

  it.each<[policy: McpPolicy | undefined, allowed: string[], denied: string[]]>([
    ['none', [], ['far', 'near']],
    ['urls', ['far'], ['near']],
    ['any', ['far', 'near'], []],
    [undefined, ['far'], ['near']],
  ])('with the policy %s are allowed: %j', (policy, allowed, denied) => {
    const result = withAllowedServers({ model_id: 'm', mcp_servers }, policy);
    expect(Object.keys(result.config.mcp_servers ?? {})).toEqual(allowed);
    expect(result.denied).toEqual(denied);
    expect(result.config.model_id).toBe('m');
  });
});
