import { z } from 'zod';
import { listOf } from './fields.ts';
import { type Finding, findFaults } from './findings.ts';
import { blockOf } from './surfaces.ts';
import { findRepeatedActionIds } from './uniqueness.ts';

const text = z.string().optional();

/** Legacy: Slack passes over fields that it does not know, but not over those of a wrong type. */
export const attachment = z.looseObject({
  blocks: listOf(blockOf.message, { min: 0, max: 50 }).optional(),
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

/** Names are counted per attachment: the same `block_id` may stand in the message and in each of its attachments. */
export function findAttachmentFaults(attachments: readonly unknown[]): Finding[] {
  const faults = findFaults(listOf(attachment, { min: 0, max: maxAttachments }), attachments, [
    'attachments',
  ]);
  if (faults.length > 0) return faults;
  return attachments.flatMap((each, index) => {
    const { data } = attachment.safeParse(each);
    return findRepeatedActionIds(data?.blocks ?? [], ['attachments', index, 'blocks']);
  });
}
