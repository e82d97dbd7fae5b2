import type { AgentStep } from '../../../src/harnesses/steps/agent-step.ts';

const at = { timestamp: '2026-11-01T12:00:00.000Z' };
const session = { timestamp: 1, sessionID: 'ses_1' };

export const claudeMessage = (content: unknown, type = 'assistant') => ({
  type,
  message: { role: type, content },
  parent_tool_use_id: null,
  session_id: 's',
});

/** Events as the harnesses print them, with the steps that they stand for. */
export const harnessEvents: [name: string, event: unknown, steps: AgentStep[]][] = [
  [
    'claude: the beginning',
    { type: 'system', subtype: 'init', model: 'opus', tools: ['Bash'], session_id: 's' },
    [{ kind: 'note', text: 'Model opus' }],
  ],
  [
    'claude: words, thoughts and a call',
    claudeMessage([
      { type: 'thinking', thinking: 'Hm.', signature: 'x' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls -la', description: 'x' } },
    ]),
    [
      { kind: 'thought', text: 'Hm.' },
      { kind: 'text', text: 'I look.' },
      { kind: 'call', id: 't', name: 'Bash', input: 'ls -la' },
    ],
  ],
  [
    'claude: a result',
    claudeMessage([{ type: 'tool_result', tool_use_id: 't', content: 'a.txt' }], 'user'),
    [{ kind: 'result', id: 't', ok: true, text: 'a.txt' }],
  ],
  [
    'claude: a result of parts that is an error',
    claudeMessage(
      [
        {
          type: 'tool_result',
          is_error: true,
          content: [{ type: 'text', text: 'no' }, { type: 'image' }],
        },
      ],
      'user',
    ),
    [{ kind: 'result', ok: false, text: 'no\n(image)' }],
  ],
  ['claude: the prompt', claudeMessage('do it', 'user'), []],
  [
    'claude: a block nobody knows',
    claudeMessage([{ type: 'hologram' }]),
    [{ kind: 'note', text: '(hologram)' }],
  ],
  [
    'claude: the end',
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'Done.',
      total_cost_usd: 0.25,
      usage: {
        input_tokens: 10,
        output_tokens: 20,
        cache_read_input_tokens: 300,
        cache_creation_input_tokens: 4000,
      },
    },
    [{ kind: 'end', ok: true, text: '', usage: { costUsd: 0.25, tokens: 4330 } }],
  ],
  [
    'claude: an end that is an error',
    { type: 'result', subtype: 'success', is_error: true, result: 'Invalid API key' },
    [{ kind: 'end', ok: false, text: 'Invalid API key', usage: {} }],
  ],
  [
    'claude: too many turns',
    { type: 'result', subtype: 'error_max_turns', is_error: false, total_cost_usd: 1 },
    [{ kind: 'end', ok: false, text: 'error_max_turns', usage: { costUsd: 1 } }],
  ],
  [
    'claude: the reason of an end',
    {
      type: 'result',
      subtype: 'error_max_turns',
      is_error: true,
      errors: ['Reached maximum number of turns (1)'],
    },
    [{ kind: 'end', ok: false, text: 'Reached maximum number of turns (1)', usage: {} }],
  ],
  [
    'claude: another try after an answer',
    {
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 563.7149498101438,
      error_status: 401,
      error: 'authentication_failed',
      session_id: 's',
    },
    [
      {
        kind: 'error',
        text: 'The model API answered 401 (authentication_failed). Retry 1 of 10 in 0.6s.',
      },
    ],
  ],
  [
    'claude: another try without an answer',
    {
      type: 'system',
      subtype: 'api_retry',
      attempt: 2,
      max_retries: 10,
      retry_delay_ms: 1000,
      error_status: null,
      error: 'unknown',
    },
    [{ kind: 'error', text: "The model API can't be reached (unknown). Retry 2 of 10 in 1.0s." }],
  ],
  [
    'claude: a tool that is denied',
    {
      type: 'system',
      subtype: 'permission_denied',
      tool_name: 'Bash',
      tool_use_id: 't',
      decision_reason_type: 'rule',
      message: 'Permission to use Bash has been denied.',
    },
    [
      {
        kind: 'note',
        text: 'Permission denied for Bash: Permission to use Bash has been denied.',
      },
    ],
  ],
  [
    'codex: a warning',
    { type: 'item.completed', item: { id: 'i', type: 'error', message: 'no metadata' } },
    [{ kind: 'note', text: 'no metadata' }],
  ],
  ['codex: the beginning', { type: 'thread.started', thread_id: 't' }, []],
  [
    'codex: a command begins',
    {
      type: 'item.started',
      item: { id: 'i', type: 'command_execution', command: 'npm test', status: 'in_progress' },
    },
    [{ kind: 'call', id: 'i', name: 'command', input: 'npm test' }],
  ],
  [
    'codex: a command fails',
    {
      type: 'item.completed',
      item: {
        id: 'i',
        type: 'command_execution',
        command: 'npm test',
        aggregated_output: 'one failed\n',
        exit_code: 1,
        status: 'failed',
      },
    },
    [{ kind: 'result', id: 'i', ok: false, text: 'one failed\n' }],
  ],
  [
    'codex: words',
    { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'Done.' } },
    [{ kind: 'text', text: 'Done.' }],
  ],
  [
    'codex: files',
    {
      type: 'item.completed',
      item: {
        type: 'file_change',
        status: 'completed',
        changes: [
          { path: 'a', kind: 'add' },
          { path: 'b', kind: 'update' },
        ],
      },
    },
    [
      { kind: 'call', name: 'file_change', input: 'add a, update b' },
      { kind: 'result', ok: true, text: 'completed' },
    ],
  ],
  [
    'codex: a tool of an MCP server',
    {
      type: 'item.started',
      item: { type: 'mcp_tool_call', server: 'docs', tool: 'find', arguments: { query: 'x' } },
    },
    [{ kind: 'call', name: 'docs find', input: 'x' }],
  ],
  [
    'codex: the end',
    {
      type: 'turn.completed',
      usage: { input_tokens: 100, cached_input_tokens: 90, output_tokens: 5 },
    },
    [{ kind: 'end', ok: true, text: '', usage: { tokens: 105 } }],
  ],
  [
    'codex: a failed turn',
    { type: 'turn.failed', error: { message: 'quota' } },
    [{ kind: 'end', ok: false, text: 'quota', usage: {} }],
  ],
  [
    'codex: an error',
    { type: 'error', message: 'stream lost' },
    [{ kind: 'error', text: 'stream lost' }],
  ],
  [
    'gemini: the beginning',
    { type: 'init', ...at, session_id: 's', model: 'pro' },
    [{ kind: 'note', text: 'Model pro' }],
  ],
  ['gemini: the prompt', { type: 'message', ...at, role: 'user', content: 'do it' }, []],
  [
    'gemini: a piece of its words',
    { type: 'message', ...at, role: 'assistant', content: 'I lo', delta: true },
    [{ kind: 'text', text: 'I lo', part: true }],
  ],
  [
    'gemini: a call',
    { type: 'tool_use', ...at, tool_name: 'read_file', tool_id: 't', parameters: { path: 'a' } },
    [{ kind: 'call', id: 't', name: 'read_file', input: 'a' }],
  ],
  [
    'gemini: a failed call',
    {
      type: 'tool_result',
      ...at,
      tool_id: 't',
      status: 'error',
      error: { type: 'X', message: 'gone' },
    },
    [{ kind: 'result', id: 't', ok: false, text: 'gone' }],
  ],
  [
    'gemini: the end',
    { type: 'result', ...at, status: 'success', stats: { total_tokens: 77, tool_calls: 1 } },
    [{ kind: 'end', ok: true, text: '', usage: { tokens: 77 } }],
  ],
  ['opencode: a step begins', { type: 'step_start', ...session, part: { type: 'step-start' } }, []],
  [
    'opencode: words',
    { type: 'text', ...session, part: { type: 'text', text: 'hello' } },
    [{ kind: 'text', text: 'hello' }],
  ],
  [
    'opencode: a tool',
    {
      type: 'tool_use',
      ...session,
      part: {
        tool: 'bash',
        state: { status: 'completed', input: { command: 'echo hi' }, output: 'hi\n' },
      },
    },
    [
      { kind: 'call', name: 'bash', input: 'echo hi' },
      { kind: 'result', ok: true, text: 'hi\n' },
    ],
  ],
  [
    'opencode: a step between',
    {
      type: 'step_finish',
      ...session,
      part: {
        reason: 'tool-calls',
        cost: 0.5,
        tokens: { input: 1, output: 2, reasoning: 3, cache: { read: 4, write: 5 } },
      },
    },
    [{ kind: 'usage', usage: { costUsd: 0.5, tokens: 15 } }],
  ],
  [
    'opencode: an error',
    { type: 'error', ...session, error: { name: 'APIError', data: { message: 'slow down' } } },
    [{ kind: 'error', text: 'slow down' }],
  ],
];
