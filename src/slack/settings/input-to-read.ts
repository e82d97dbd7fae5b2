import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { section } from '../text/blocks.ts';
import { escapeText, limits } from '../text/escape-text.ts';

/** An input as read-only text with its initial value; other blocks stay as they are. */
export function inputToRead(block: KnownBlock): KnownBlock {
  if (block.type !== 'input') return block;
  const { data } = heldSchema.safeParse(block.element);
  const options = data?.initial_options ?? (data?.initial_option ? [data.initial_option] : []);
  const people = data?.initial_users?.map((id) => `<@${id}>`).join(', ');
  const held = data?.initial_value ?? options.map(({ text }) => text.text).join(', ');
  const value = people ?? (held ? escapeText(held, limits.text - 200) : '_not set_');
  return section(`*${escapeText(block.label.text, 150)}*\n${value}`);
}

const heldOption = z.object({ text: z.object({ text: z.string() }) });
const heldSchema = z.object({
  initial_users: z.array(z.string()).optional(),
  initial_value: z.string().optional(),
  initial_option: heldOption.optional(),
  initial_options: z.array(heldOption).optional(),
});
