import type { z } from 'zod';
import { imageElement } from '../../src/block-kit/composition-objects.ts';
import { numberInput } from '../../src/block-kit/elements/inputs.ts';
import { staticSelect } from '../../src/block-kit/elements/selects.ts';
import { blockOf } from '../../src/block-kit/surfaces.ts';
import * as a from './fragments.ts';

/** A payload that is rejected for a reason other than size, and the error. */
export type UsageCase = { schema: z.ZodType; rejected: unknown; message: string };

const { message } = blockOf;
const table = (part: object) => ({
  type: 'table',
  rows: [
    [a.cell(), a.cell()],
    [a.cell(), a.cell()],
  ],
  ...part,
});

/** The cases without a number in the shared list of invalid payloads, by ID. */
export const usageCases: Record<string, UsageCase> = {
  'table-ragged-rows': {
    schema: message,
    rejected: table({ rows: [[a.cell(), a.cell()], [a.cell()]] }),
    message: '[ERROR] all rows must have the same number of cells [json-pointer:/rows]',
  },
  'table-column-settings-mismatch': {
    schema: message,
    rejected: table({ column_settings: [{ is_wrapped: true }] }),
    message:
      '[ERROR] must describe as many columns as the table has [json-pointer:/column_settings]',
  },
  'section-missing-content': {
    schema: message,
    rejected: { type: 'section' },
    message: '[ERROR] must define either `text` or `fields` [json-pointer:/type]',
  },
  'static-select-options-and-groups': {
    schema: staticSelect,
    rejected: {
      type: 'static_select',
      options: a.options(1),
      option_groups: [{ label: a.plain(), options: a.options(1) }],
    },
    message: '[ERROR] must define only one of `options`, `option_groups` [json-pointer:]',
  },
  'image-url-and-slack-file': {
    schema: imageElement,
    rejected: { ...a.anImage, slack_file: { id: 'F1' } },
    message: '[ERROR] must define only one of `image_url`, `slack_file` [json-pointer:]',
  },
  'number-input-inverted-range': {
    schema: numberInput,
    rejected: {
      type: 'number_input',
      is_decimal_allowed: false,
      min_value: '10',
      max_value: '9',
    },
    message: '[ERROR] must be less than 9 [json-pointer:/min_value]',
  },
  'context-invalid-element': {
    schema: message,
    rejected: { type: 'context', elements: [a.aButton] },
    message: '[ERROR] unsupported type: button [json-pointer:/elements/0/type]',
  },
  'input-invalid-element': {
    schema: message,
    rejected: { ...a.anInput, element: a.aButton },
    message: '[ERROR] unsupported type: button [json-pointer:/element/type]',
  },
};
