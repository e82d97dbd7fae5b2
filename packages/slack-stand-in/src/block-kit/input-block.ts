import { z } from 'zod';
import { inputElement, modalInputElement } from './element-families.ts';
import { identifiable } from './element-fields.ts';
import { limits } from './limits.ts';
import { plainText } from './text-objects.ts';

const shape = {
  type: z.literal('input'),
  ...identifiable,
  label: plainText(limits.input.label.max_length),
  hint: plainText(limits.input.hint.max_length).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
};

export const inputBlock = z.strictObject({ ...shape, element: inputElement });

export const modalInputBlock = z.strictObject({ ...shape, element: modalInputElement });
