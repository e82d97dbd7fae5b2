import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { startRunsService, temporaryFolder } from '../../support/runs-service.ts';
import { acpEnvironment, startAcp } from './acp-bed.ts';

const says = (text: string, more: object = {}) => ({
  update: {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text },
    ...more,
  },
});
const update = (sessionUpdate: string, more: object) => ({ update: { sessionUpdate, ...more } });

describe('an agent of the Agent Client Protocol', () => {
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
    const { until, start } = await startAll([
      { manner: 'wants a key', variables: { A_KEY: 'k' } },
      { manner: 'wants a key' },
    ]);
    const [withKey = '', without = ''] = await start([], []);
    expect((await until(withKey, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    const { status_message: status } = await until(without, 'FAILED');
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

/** Starts one service with an environment for each agent. */
async function startAll(agents: ({ manner?: string } & Partial<ServiceEnvironment>)[]) {
  const environments = agents.map(({ manner, ...more }, at) =>
    acpEnvironment(manner, { id: `agent-${at}`, ...more }),
  );
  const service = await startRunsService({ environments });
  /** Starts a run with each agent, in the order of the prompts. */
  const start = (...prompts: object[][]) =>
    Promise.all(
      prompts.map((actions, at) =>
        service.begin({
          prompt: JSON.stringify(actions),
          config: { environment_id: `agent-${at}` },
        }),
      ),
    );
  return { ...service, start };
}

describe('a run of such an agent', () => {
  const fails: [manner: string, actions: object[], message: RegExp][] = [
    ['crash at start', [], /code 7.*\nIt sent no message of the Agent Client/s],
    ['crash at initialize', [], /code 8.*\nIt sent no message/s],
    ['crash at session', [], /code 9/],
    ['', [says('I'), { crash: 3 }], /code 3/],
    ['', [{ crash: 0 }], /The agent ended before it answered\./],
    ['nonsense', [], /ended before it answered\.\nIt sent no message/],
    ['', [{ reject: 'no credits' }], /no credits/],
    ['', [{ end: 'refusal' }], /The agent refused to continue\./],
    ['', [{ end: 'max_tokens' }], /limit of tokens/],
    ['', [{ end: 'cancelled' }], /as if it was canceled/],
  ];
  it('fails with the reason if it crashes, talks nonsense, rejects or ends early', async () => {
    const { start, until } = await startAll(
      fails.map(([manner]) => ({ manner, repositories: [] })),
    );
    const ids = await start(...fails.map(([, actions]) => actions));
    for (const [at, id] of ids.entries()) {
      const { status_message: status } = await until(id, 'FAILED');
      expect(status?.message).toMatch(fails[at]?.[2] ?? 'a reason');
    }
  });

  it('fails at the time limit if it is silent, hangs, or then says it was canceled', async () => {
    const manners = ['silent', '', 'stops politely'];
    const { start, until } = await startAll(
      manners.map((manner) => ({ manner, time_limit_seconds: 1, repositories: [] })),
    );
    const ids = await start([], [{ hang: true }], [{ waitForCancel: true }]);
    const messages: string[] = [];
    for (const id of ids) messages.push((await until(id, 'FAILED')).status_message?.message ?? '');
    for (const message of messages) expect(message).toContain('time limit of 1s');
    expect(messages[0]).toContain('It sent no message');
    expect(messages[2]).not.toContain('canceled');
  });

  it('is canceled whether it stops when it is asked to or not', async () => {
    const acp = await startAcp();
    const polite = await acp.begin([says('on it'), { waitForCancel: true }]);
    const deaf = await acp.begin([says('on it'), { hang: true }]);
    for (const id of [polite, deaf]) {
      await expect.poll(async () => (await acp.get(id)).agent_progress?.answer).toBe('on it');
      await acp.request(`/agent/runs/${id}/cancel`, { method: 'POST' });
      await acp.until(id, 'CANCELLED');
    }
    expect(acp.patch(polite)).toContain('canceled.txt');
    expect(acp.patch(deaf)).not.toContain('canceled.txt');
  });
});

it('a tool that needs permission gets the answer of its environment', async () => {
  const environments = [{}, { permissions: 'deny' }, { permissions: undefined }] as object[];
  const { start, until, dataDir } = await startAll(environments);
  const permit = { permit: { kind: 'execute', title: 'npm test' } };
  const ids = await start([permit], [permit], [permit]);
  const said: (string | undefined)[] = [];
  for (const id of ids) {
    await until(id, 'SUCCEEDED', 'FAILED');
    const patch = readFileSync(join(dataDir, 'transcripts', id, 'changes.patch'), 'utf8');
    said.push(/^\+permission: (.*)$/m.exec(patch)?.[1]);
  }
  expect(said).toEqual(['yes', 'no', 'no']);
});
