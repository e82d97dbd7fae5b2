import { z } from 'zod';
import { textField } from './fields.ts';
import { limits } from './limits.ts';
import { plainText } from './text-objects.ts';

const shared = {
  // Checked later, by surface.
  blocks: z.array(z.unknown()),
  private_metadata: textField({ max: limits.view.private_metadata.max_length }).optional(),
  callback_id: textField({ max: limits.view.callback_id.max_length }).optional(),
  external_id: textField({ max: limits.view.external_id.max_length }).optional(),
};

export const modalView = z.strictObject({
  type: z.literal('modal'),
  ...shared,
  title: plainText(limits.view.title.max_length),
  close: plainText(limits.view.close.max_length).optional(),
  submit: plainText(limits.view.submit.max_length).optional(),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
});

export const homeView = z.strictObject({ type: z.literal('home'), ...shared });
