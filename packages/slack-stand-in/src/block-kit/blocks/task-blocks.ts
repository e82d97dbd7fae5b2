import { z } from 'zod';
import { blockPart } from '../composition-objects.ts';
import { listOf, part, rule, textField, webUrlField } from '../fields.ts';
import { limits } from '../limits.ts';
import { phrases } from '../phrases.ts';
import { richTextBlock } from './rich-text.ts';

/** Max number of a task's sources. Slack documents no limit; this limit only keeps checks fast. */
const severalSources = { min_items: 0, max_items: 100 };

/**
 * Max number of tasks in a plan. Slack doesn't document it; slack-morphism 2.30 (`SlackPlanBlock`) does. The same
 * source says that each `task_id` must be unique in its plan.
 */
const mostTasks = 50;

const line = textField({ min_length: 1 });

export const urlSource = part('url', { url: webUrlField(limits.url_source.url), text: line });

export const taskCardBlock = blockPart('task_card', {
  task_id: line,
  title: line,
  status: z.enum(['pending', 'in_progress', 'complete', 'error']),
  details: richTextBlock.optional(),
  output: richTextBlock.optional(),
  sources: listOf(urlSource, severalSources).optional(),
});

const taskInPlan = taskCardBlock.partial({ type: true });

export const planBlock = blockPart('plan', {
  title: line,
  tasks: listOf(taskInPlan, { min_items: 0, max_items: mostTasks }).optional(),
}).superRefine(
  rule('tasks', ({ tasks = [] }) => {
    const ids = tasks.map(({ task_id: id }) => id);
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
    return repeated === undefined ? undefined : phrases.taken('task_id', repeated);
  }),
);
