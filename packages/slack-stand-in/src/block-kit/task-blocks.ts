import { z } from 'zod';
import { identifiable } from './element-fields.ts';
import { listOf, rule, textField, webUrlField } from './fields.ts';
import { limits } from './limits.ts';
import { phrases } from './phrases.ts';
import { richTextBlock } from './rich-text.ts';

/** Slack documents no count for sources. This only bounds the work. */
const severalSources = { min: 0, max: 100 };
/** Undocumented, as is that each `task_id` must be unique in its plan: slack-morphism 2.30, `SlackPlanBlock`. */
const mostTasks = 50;

export const urlSource = z.strictObject({
  type: z.literal('url'),
  url: webUrlField({ max: limits.url_source.url.max_length }),
  text: textField({ min: 1 }),
});

const task = {
  ...identifiable,
  task_id: textField({ min: 1 }),
  title: textField({ min: 1 }),
  status: z.enum(['pending', 'in_progress', 'complete', 'error']),
  details: richTextBlock.optional(),
  output: richTextBlock.optional(),
  sources: listOf(urlSource, severalSources).optional(),
};

export const taskCardBlock = z.strictObject({ type: z.literal('task_card'), ...task });

// Optional inside a plan.
const taskInPlan = z.strictObject({ type: z.literal('task_card').optional(), ...task });

export const planBlock = z
  .strictObject({
    type: z.literal('plan'),
    ...identifiable,
    title: textField({ min: 1 }),
    tasks: listOf(taskInPlan, { min: 0, max: mostTasks }).optional(),
  })
  .superRefine(
    rule('tasks', ({ tasks = [] }) => {
      const ids = tasks.map(({ task_id: id }) => id);
      const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
      return repeated === undefined ? undefined : phrases.taken('task_id', repeated);
    }),
  );
