import { z } from 'zod';
import { identifiable } from './element-fields.ts';
import { listOf, textField, webUrlField } from './fields.ts';
import { limits } from './limits.ts';
import { richTextBlock } from './rich-text.ts';

/** Slack documents no counts for sources and tasks. These only bound the work. */
const several = { min: 0, max: 100 };

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
  sources: listOf(urlSource, several).optional(),
};

export const taskCardBlock = z.strictObject({ type: z.literal('task_card'), ...task });

export const planBlock = z.strictObject({
  type: z.literal('plan'),
  ...identifiable,
  title: textField({ min: 1 }),
  // Optional inside a plan.
  tasks: listOf(
    z.strictObject({ type: z.literal('task_card').optional(), ...task }),
    several,
  ).optional(),
});
