import { describe, expect, it } from 'vitest';
import { dryRunText } from '../../../src/slack/runs/showing/dry-run.ts';

const config = {
  model_id: 'small',
  mcp_servers: {
    docs: { url: 'https://mcp.example.com', headers: { Authorization: 'Bearer hush-1' } },
    keyed: { url: 'https://ada:hush-4@keyed.example.com/mcp?key=hush-5' },
    local: { command: 'serve', args: ['--key', 'hush-2'], env: { KEY: 'hush-3' } },
  },
};

describe('keys of MCP servers', () => {
  it('are hidden by --dry-run, which still names the servers', () => {
    const fields = { mcp_servers: 'workspace defaults' };
    const text = dryRunText({ prompt: 'go', title: '', config, fields });
    expect(text).not.toContain('hush');
    expect(text).toContain('mcp.example.com');
    expect(text).toContain('keyed.example.com/mcp');
    expect(text).toContain('small');
  });
});
