import { z } from 'zod';
import { blockPart } from '../composition-objects.ts';
import { listOf, rule, textField } from '../fields.ts';
import { limits } from '../limits.ts';
import { phrases } from '../phrases.ts';
import { countText, rawNumber, rawText } from '../text-objects.ts';
import { richTextBlock } from './rich-text.ts';

const cell = z.discriminatedUnion('type', [rawText, rawNumber, richTextBlock]);

type Count = { min_items: number; max_items: number };

const rowsOf = ({ rows, columns }: { rows: Count; columns: Count }) =>
  listOf(listOf(cell, columns), rows);

type Rows = { rows: unknown[][] };

const evenRows = ({ rows }: Rows) =>
  rows.some((row) => row.length !== rows[0]?.length)
    ? 'all rows must have the same number of cells'
    : undefined;

const columnSettings = z.strictObject({
  align: z.enum(['left', 'center', 'right']).optional(),
  is_wrapped: z.boolean().optional(),
});

export const tableBlock = blockPart('table', {
  rows: rowsOf(limits.table),
  column_settings: listOf(columnSettings, limits.table.columns).optional(),
})
  .superRefine(rule('rows', evenRows))
  .superRefine(
    rule('column_settings', ({ rows, column_settings: settings }) =>
      settings && settings.length !== rows[0]?.length
        ? 'must describe as many columns as the table has'
        : undefined,
    ),
  );

const { columns, page_size: pageSize, content } = limits.data_table;

export const dataTableBlock = blockPart('data_table', {
  rows: rowsOf(limits.data_table),
  caption: textField({ min_length: 1 }),
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
