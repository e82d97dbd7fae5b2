import type { AgentProgress } from 'runs-client/contract';

/** A plan as a Markdown task list. */
export const planText = (plan: NonNullable<AgentProgress['plan']>): string =>
  plan
    .map(({ title, state }) => {
      const note = state === 'in_progress' ? ' (in progress)' : '';
      return `- [${state === 'completed' ? 'x' : ' '}] ${title}${note}`;
    })
    .join('\n');
