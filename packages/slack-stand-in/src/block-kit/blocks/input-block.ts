import { z } from 'zod';
import { inputElement, modalInputElement } from '../elements/element-families.ts';
import { blockPart } from '../elements/element-fields.ts';
import { limits } from '../limits.ts';
import { plainText } from '../text-objects.ts';

const around = {
  label: plainText(limits.input.label),
  hint: plainText(limits.input.hint).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
};

export const inputBlock = blockPart('input', { ...around, element: inputElement });
export const modalInputBlock = blockPart('input', { ...around, element: modalInputElement });
