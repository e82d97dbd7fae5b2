import { z } from 'zod';
import { part, textField } from './fields.ts';
import { limits } from './limits.ts';
import { plainText } from './text-objects.ts';

const shared = {
  // Checked later, by surface.
  blocks: z.array(z.unknown()),
  private_metadata: textField(limits.view.private_metadata).optional(),
  callback_id: textField(limits.view.callback_id).optional(),
  external_id: textField(limits.view.external_id).optional(),
};

export const modalView = part('modal', {
  ...shared,
  title: plainText(limits.view.title),
  close: plainText(limits.view.close).optional(),
  submit: plainText(limits.view.submit).optional(),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
});

export const homeView = part('home', shared);
