import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../support/runs-service.ts';
import { behind, startAcp } from './acp-bed.ts';

const says = (text: string, more: object = {}) => ({
  update: {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text },
    ...more,
  },
});
const update = (sessionUpdate: string, more: object) => ({ update: { sessionUpdate, ...more } });

describe(`an agent of the Agent Client Protocol (${behind})`, () => {
  it('shows what it does, and its last message is the answer', async () => {
    const acp = await startAcp();
    const run = await acp.run([
      update('agent_thought_chunk', { content: { type: 'text', text: 'Hm.' } }),
      says('I look'),
      update('plan', { entries: [{ content: 'Look', priority: 'low', status: 'completed' }] }),
      update('tool_call', { toolCallId: '1', title: 'Read notes', kind: 'read' }),
      update('tool_call_update', { toolCallId: '1', status: 'completed' }),
      update('usage_update', { used: 1, size: 2, cost: { amount: 0.5, currency: 'USD' } }),
      update('available_commands_update', { availableCommands: [] }),
      update('from_the_future', { any: 'thing' }),
      { write: 'new', to: 'new.txt' },
      says('All '),
      says('**done**'),
    ]);
    expect(run).toMatchObject({
      state: 'SUCCEEDED',
      status_message: { message: 'All **done**' },
      request_usage: { inference_cost_usd: 0.5, total_tokens: 12 },
      agent_progress: {
        plan: [{ title: 'Look', state: 'completed' }],
        tool_calls: [{ name: 'read', input: 'Read notes', state: 'completed' }],
      },
    });
    expect(acp.patch(run.run_id)).toContain('+++ b/new.txt');
    const page = await (await fetch(run.session_link ?? '')).text();
    expect(page).toContain('Hm.');
  });

  it('gets the base prompt, its MCP servers, model and mode', async () => {
    const acp = await startAcp('', { mcp: 'any', mode: 'build' });
    const run = await acp.run([], {
      base_prompt: 'Be brief.',
      model_id: 'big',
      mcp_servers: {
        web: { url: 'https://example.com/mcp', headers: { Authorization: 'hunter22' } },
        local: { command: 'server', args: ['-x'], env: { A: 'b' } },
        shared: { warp_id: 'w' },
      },
    });
    expect(run.state).toBe('SUCCEEDED');
    const patch = acp.patch(run.run_id);
    expect(patch).toMatch(/\+\["Be brief\.\\n\\n\[\]"\]/);
    expect(patch).toContain('+build');
    expect(patch).toContain('+big');
    expect(patch).toContain('{"name":"web","url":"https://example.com/mcp"');
    expect(patch).toContain('{"name":"local","command":"server","args":["-x"]');
    expect(patch).not.toContain('shared');
  });

  it('is told which key of the environment to use if it asks', async () => {
    const { run } = await startAcp('wants a key', { variables: { A_KEY: 'k' } });
    expect((await run([])).state).toBe('SUCCEEDED');
    const without = await startAcp('wants a key');
    const { status_message: status } = await without.run([]);
    expect(status?.message).toContain('Authentication required');
  });

  it('works without what it does not offer, and the timeline says so', async () => {
    const acp = await startAcp('stdio only', { mode: 'turbo' });
    const config = { model_id: 'huge', mcp_servers: { web: { url: 'https://example.com' } } };
    const run = await acp.run([], config);
    expect(run.state).toBe('SUCCEEDED');
    const page = await (await fetch(run.session_link ?? '')).text();
    expect(page).toContain('Skipped MCP servers that the agent can&#39;t reach: web');
    expect(page).toContain('doesn&#39;t offer model &quot;huge&quot;');
    expect(page).toContain('doesn&#39;t offer mode &quot;turbo&quot;');
  });

  it('gets a follow-up in the same session', async () => {
    const acp = await startAcp();
    const id = await acp.begin([says('one')]);
    const message = JSON.stringify([says('two')]);
    const sent = await acp.request(`/agent/runs/${id}/followups`, {
      method: 'POST',
      body: JSON.stringify({ message }),
      headers: { 'content-type': 'application/json' },
    });
    expect(sent.status).toBe(200);
    const run = await acp.until(id, 'SUCCEEDED', 'FAILED');
    expect(run.status_message?.message).toBe('two');
    expect(acp.patch(id).match(/sessionUpdate/g)).toHaveLength(2);
  });

  it('does not leak a secret that it says in pieces', async () => {
    const secret = join(temporaryFolder(), 'secret');
    writeFileSync(secret, 'hunter22-and-more');
    const acp = await startAcp('', { secret_files: { TOKEN: secret } });
    const run = await acp.run([says('It is hunter'), says('22-and-'), says('more, yes')]);
    expect(run.status_message?.message).toBe('It is [secret], yes');
    expect(acp.log(run.run_id)).not.toContain('22-and-');
  });

  it('can print other things, and huge updates are cut', async () => {
    const acp = await startAcp();
    const run = await acp.run([
      { print: 'Warning: old version\n{"not":"ours"}\n' },
      update('tool_call', { toolCallId: '1', title: `<b>${'x'.repeat(60_000)}` }),
      says('y'.repeat(110_000)),
    ]);
    expect(run.state).toBe('SUCCEEDED');
    expect(acp.log(run.run_id)).toContain('Warning: old version\n');
    expect(run.agent_progress?.answer).toHaveLength(100_000);
    expect(run.agent_progress?.tool_calls?.[0]?.input).toHaveLength(300);
  });
});

describe(`a run of such an agent (${behind})`, () => {
  const fails: [name: string, manner: string, actions: object[], message: RegExp][] = [
    ['crashes at once', 'crash at start', [], /code 7.*\nIt sent no message of the Agent Client/s],
    ['crashes in the handshake', 'crash at initialize', [], /code 8.*\nIt sent no message/s],
    ['crashes when a session opens', 'crash at session', [], /code 9/],
    ['crashes during a prompt', '', [says('I'), { crash: 3 }], /code 3/],
    ['ends during a prompt', '', [{ crash: 0 }], /The agent ended before it answered\./],
    ['talks nonsense', 'nonsense', [], /ended before it answered\.\nIt sent no message/],
    ['answers with an error', '', [{ refuse: 'no credits' }], /no credits/],
    ['refuses', '', [{ end: 'refusal' }], /The agent refused to continue\./],
    ['runs out of tokens', '', [{ end: 'max_tokens' }], /limit of tokens/],
    ['says it was canceled', '', [{ end: 'cancelled' }], /as if it was canceled/],
  ];
  it.each(fails)('fails with the reason if it %s', async (_name, manner, actions, message) => {
    const acp = await startAcp(manner);
    const run = await acp.run(actions);
    expect(run.state).toBe('FAILED');
    expect(run.status_message?.message).toMatch(message);
  });

  it.each([
    ['is silent', 'silent', [], /time limit of 1s.*\nIt sent no message/s],
    ['hangs', '', [{ hang: true }], /time limit of 1s/],
    ['then says it was canceled', 'stops politely', [{ waitForCancel: true }], /time limit of 1s/],
  ])('fails at the time limit if it %s', async (_name, manner, actions, message) => {
    const acp = await startAcp(manner, { time_limit_seconds: 1 });
    const run = await acp.run(actions);
    expect(run.status_message?.message).toMatch(message);
    expect(run.status_message?.message).not.toContain('canceled');
  });

  it.each([
    ['stops when it is asked to', [says('on it'), { waitForCancel: true }]],
    ['ignores that it should stop', [says('on it'), { hang: true }]],
  ])('is canceled if it %s', async (_name, actions) => {
    const acp = await startAcp();
    const id = await acp.begin(actions);
    await expect.poll(async () => (await acp.get(id)).agent_progress?.answer).toBe('on it');
    await acp.request(`/agent/runs/${id}/cancel`, { method: 'POST' });
    await acp.until(id, 'CANCELLED');
    expect(acp.patch(id).includes('canceled.txt')).toBe(JSON.stringify(actions).includes('wait'));
  });
});

describe(`a tool that needs permission (${behind})`, () => {
  const run = { kind: 'execute', title: 'npm test' };
  const cases: [name: string, settings: object, said: string][] = [
    ['is allowed by default behind a wall', {}, 'yes'],
    ['is refused if the environment says so', { permissions: 'deny' }, 'no'],
    ['is allowed by its kind', { permissions: 'deny', allow_tools: ['execute'] }, 'yes'],
    ['is allowed by its title', { permissions: 'deny', allow_tools: ['npm test'] }, 'yes'],
    ['is refused without a wall', { isolation: 'none', permissions: undefined }, 'no'],
  ];
  it.each(cases)('%s', async (_name, settings, said) => {
    const { isolation } = settings as { isolation?: string };
    const open = isolation === 'none' ? { network: undefined, read_only: undefined } : {};
    const acp = await startAcp('', { ...settings, ...open } as object);
    const { run_id: id } = await acp.run([{ permit: run }]);
    expect(acp.patch(id)).toContain(`+permission: ${said}`);
  });

  it('may be an edit without a wall', async () => {
    const settings = { isolation: 'none', permissions: undefined } as object;
    const acp = await startAcp('', {
      ...settings,
      network: undefined,
      read_only: undefined,
    } as object);
    const { run_id: id } = await acp.run([{ permit: { kind: 'edit', title: 'notes.txt' } }]);
    expect(acp.patch(id)).toContain('+permission: yes');
  });
});
