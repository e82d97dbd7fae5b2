import type { AgentStep } from '../../../src/harnesses/steps/agent-step.ts';
import { claudeMessage } from './harness-events.ts';

/** Events with which the harnesses report a plan. */
export const planEvents: [name: string, event: unknown, steps: AgentStep[]][] = [
  [
    'claude: a plan',
    claudeMessage([
      {
        type: 'tool_use',
        id: 't',
        name: 'TodoWrite',
        input: { todos: [{ content: 'Look', status: 'in_progress', activeForm: 'Looking' }] },
      },
    ]),
    [{ kind: 'plan', items: [{ title: 'Look', state: 'in_progress' }] }],
  ],
  [
    'codex: a plan',
    {
      type: 'item.updated',
      item: { id: 'i', type: 'todo_list', items: [{ text: 'Look', completed: true }] },
    },
    [{ kind: 'plan', items: [{ title: 'Look', state: 'completed' }] }],
  ],
  [
    'opencode: a plan',
    {
      type: 'tool_use',
      timestamp: 1,
      sessionID: 's',
      part: {
        tool: 'todowrite',
        state: {
          status: 'completed',
          input: { todos: [{ content: 'Look', status: 'cancelled', priority: 'low' }] },
        },
      },
    },
    [{ kind: 'plan', items: [{ title: 'Look', state: 'completed' }] }],
  ],
  [
    'ACP: a plan of opencode',
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      status: 'in_progress',
      title: 'todowrite',
      kind: 'other',
      rawInput: { todos: [{ content: 'Look', status: 'in_progress', priority: 'low' }] },
    },
    [{ kind: 'plan', items: [{ title: 'Look', state: 'in_progress' }] }],
  ],
];
