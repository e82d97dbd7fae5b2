import type { AgentStep } from '../../../src/harnesses/steps/agent-step.ts';

/** ACP updates with the steps that they stand for. */
export const acpEvents: [name: string, event: unknown, steps: AgentStep[]][] = [
  [
    'ACP: a piece of a message',
    {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'I lo' },
      messageId: 'm',
    },
    [{ kind: 'text', text: 'I lo', part: true, id: 'm' }],
  ],
  [
    'ACP: an image',
    { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: '', mimeType: 'x' } },
    [{ kind: 'text', text: '(image)', part: true }],
  ],
  [
    'ACP: a thought',
    { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm.' } },
    [{ kind: 'thought', text: 'Hm.', part: true }],
  ],
  [
    'ACP: a call',
    {
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      title: 'npm test',
      kind: 'execute',
      status: 'pending',
    },
    [{ kind: 'call', id: 't', name: 'execute', input: 'npm test' }],
  ],
  [
    'ACP: the end of a call',
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      status: 'completed',
      content: [
        { type: 'content', content: { type: 'text', text: 'ok' } },
        { type: 'diff', path: '/a.txt', oldText: null, newText: 'x' },
      ],
    },
    [{ kind: 'result', id: 't', ok: true, text: 'ok\n/a.txt' }],
  ],
  [
    'ACP: a failed call',
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      status: 'failed',
      rawOutput: { code: 1 },
    },
    [{ kind: 'result', id: 't', ok: false, text: '{"code":1}' }],
  ],
  [
    'ACP: a plan',
    {
      sessionUpdate: 'plan',
      entries: [{ content: 'Look', priority: 'high', status: 'pending' }],
    },
    [{ kind: 'plan', items: [{ title: 'Look', state: 'pending' }] }],
  ],
  [
    'ACP: the cost so far',
    {
      sessionUpdate: 'usage_update',
      used: 100,
      size: 1000,
      cost: { amount: 0.5, currency: 'USD' },
    },
    [{ kind: 'usage', isTotal: true, usage: { costUsd: 0.5 } }],
  ],
  ['ACP: an update that says nothing', { sessionUpdate: 'current_mode_update' }, []],
  [
    'ACP: the end of a turn',
    { stopReason: 'end_turn', usage: { totalTokens: 7, inputTokens: 3, outputTokens: 4 } },
    [{ kind: 'end', ok: true, text: '', usage: { tokens: 7 } }],
  ],
  [
    'ACP: a rejection',
    { stopReason: 'refusal' },
    [{ kind: 'end', ok: false, text: 'The agent refused to continue.', usage: {} }],
  ],
];
