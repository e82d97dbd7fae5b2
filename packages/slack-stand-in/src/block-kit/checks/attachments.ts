import { z } from 'zod';
import { listOf } from '../fields.ts';
import { blockOf } from '../surfaces.ts';
import { type Finding, findFaults } from './findings.ts';
import { findRepeatedActionIds } from './uniqueness.ts';

const text = z.string().optional();

/** Legacy: Slack ignores unknown fields, but not wrong types. */
export const attachment = z.looseObject({
  blocks: listOf(blockOf.message, { min_items: 0, max_items: 50 }).optional(),
  color: text,
  fallback: text,
  text,
  pretext: text,
  title: text,
  title_link: text,
  author_name: text,
  footer: text,
});

export const maxAttachments = 100;

/** The message and each of its attachments may use the same `block_id`. */
export function findAttachmentFaults(attachments: readonly unknown[]): Finding[] {
  const faults = findFaults(
    listOf(attachment, { min_items: 0, max_items: maxAttachments }),
    attachments,
    ['attachments'],
  );
  if (faults.length > 0) return faults;
  return attachments.flatMap((each, index) => {
    const { data } = attachment.safeParse(each);
    return findRepeatedActionIds(data?.blocks ?? [], ['attachments', index, 'blocks']);
  });
}
