import type { DemoStep } from './understand.ts';

const titles: Record<DemoStep['kind'], string> = {
  fail: 'Fail as you asked',
  wait: 'Wait',
  think: 'Think',
  replace: 'Replace text in a file',
  'add-line': 'Add a line to a file',
  delete: 'Delete a file, if you allow it',
  'choose-file': 'Ask for a file',
  ask: 'Ask a question',
  'count-todos': 'Count the TODO comments',
  'count-lines': 'Count the lines',
  'list-files': 'List the files',
  search: 'Search in the files',
  unknown: 'Say what the demo agent can do',
};

/** Returns a line of output that reports the plan in the format of the Agent Client Protocol. */
export function planLine(steps: readonly DemoStep[], current: number): string {
  const entries = steps.map(({ kind }, index) => ({
    content: titles[kind],
    status: index < current ? 'completed' : index === current ? 'in_progress' : 'pending',
    priority: 'medium',
  }));
  return JSON.stringify({ sessionUpdate: 'plan', entries });
}
