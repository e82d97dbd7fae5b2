import { z } from 'zod';
import { identifiable } from './element-fields.ts';
import { listOf, rule, textField } from './fields.ts';
import { limits } from './limits.ts';
import { phrases } from './phrases.ts';
import { richTextBlock } from './rich-text.ts';
import { countText } from './text-count.ts';
import { rawNumber, rawText } from './text-objects.ts';

const cell = z.discriminatedUnion('type', [rawText, rawNumber, richTextBlock]);

function rowsOf(rows: { min: number; max: number }, columns: { min: number; max: number }) {
  return listOf(listOf(cell, columns), rows);
}

type Rows = { rows: unknown[][] };

const evenRows = ({ rows }: Rows) =>
  rows.some((row) => row.length !== rows[0]?.length)
    ? 'all rows must have the same number of cells'
    : undefined;

const columnSettings = z.strictObject({
  align: z.enum(['left', 'center', 'right']).optional(),
  is_wrapped: z.boolean().optional(),
});

export const tableBlock = z
  .strictObject({
    type: z.literal('table'),
    ...identifiable,
    rows: rowsOf(
      { min: limits.table.rows.min_items, max: limits.table.rows.max_items },
      { min: limits.table.columns.min_items, max: limits.table.columns.max_items },
    ),
    column_settings: listOf(columnSettings, { max: limits.table.columns.max_items }).optional(),
  })
  .superRefine(rule('rows', evenRows))
  .superRefine(
    rule('column_settings', ({ rows, column_settings: settings }) =>
      settings && settings.length !== rows[0]?.length
        ? 'must describe as many columns as the table has'
        : undefined,
    ),
  );

const { rows, columns, page_size: pageSize, content } = limits.data_table;

export const dataTableBlock = z
  .strictObject({
    type: z.literal('data_table'),
    ...identifiable,
    rows: rowsOf(
      { min: rows.min_items, max: rows.max_items },
      { min: columns.min_items, max: columns.max_items },
    ),
    caption: textField({ min: 1 }),
    page_size: z.int().min(pageSize.min).max(pageSize.max).optional(),
    row_header_column_index: z
      .int()
      .min(0)
      .max(columns.max_items - 1)
      .optional(),
  })
  .superRefine(rule('rows', evenRows))
  .superRefine(
    rule('rows', (table) =>
      countText(table.rows) > content.max_length ? phrases.tooLong(content.max_length) : undefined,
    ),
  );
