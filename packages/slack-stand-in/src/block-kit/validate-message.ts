import { z } from 'zod';
import { isAbsent, readArgument } from './arguments.ts';
import { findBlockFaults, findNameFaults, findRepeatedActionIds } from './checks/block-checks.ts';
import { type Finding, findFaults, type Problem, problem, toProblems } from './checks/findings.ts';
import { findTotalProblems } from './checks/message-totals.ts';
import { countCodePoints, listOf, textField } from './fields.ts';
import { phrases } from './phrases.ts';
import { blockOf } from './surfaces.ts';

export type MessageMethod =
  | 'chat.postMessage'
  | 'chat.update'
  | 'chat.postEphemeral'
  | 'response_url';

export type MessagePayload = {
  text?: unknown;
  markdown_text?: unknown;
  blocks?: unknown;
  attachments?: unknown;
  metadata?: unknown;
};

/**
 * Rules of each method: the max length of `text`, and the error for bad attachments. `strict` is true if metadata and
 * totals are checked.
 */
const methods = {
  'chat.postMessage': { text: 40_000, attachments: 'invalid_blocks', strict: true },
  'chat.update': { text: 4000, attachments: 'invalid_attachments', strict: true },
  'chat.postEphemeral': { text: 40_000, attachments: 'invalid_attachments', strict: true },
  // Check less for response URLs. There, Slack accepts any total size (bolt-js issue 2509), repeated block IDs and
  // any metadata.
  response_url: { text: 40_000, attachments: 'invalid_attachments', strict: false },
} as const;

const maxBlocks = 50;
const maxAttachments = 100;
const maxMarkdownText = 12_000;

/** Returns the problems for which Slack would reject a message. The first problem decides the error code. */
export function validateMessage(
  payload: MessagePayload,
  { method }: { method: MessageMethod },
): Problem[] {
  const rules = methods[method];
  return [
    ...findTextProblems(payload, rules.text),
    ...findBlocksProblems(payload.blocks, rules.strict),
    ...findAttachmentsProblems(payload.attachments, rules.attachments),
    ...(rules.strict && !isAbsent(payload.metadata) ? findMetadataProblems(payload.metadata) : []),
    ...findEmptiness(payload),
  ];
}

function findTextProblems(
  { text, markdown_text: markdown, blocks }: MessagePayload,
  most: number,
): Problem[] {
  if (!isAbsent(text) && typeof text !== 'string') {
    return [problem('invalid_arguments', 'must provide a string', 'text')];
  }
  if (typeof text === 'string' && countCodePoints(text) > most) {
    return [problem('msg_too_long', phrases.tooLong(most), 'text')];
  }
  if (isAbsent(markdown)) return [];
  if (typeof markdown !== 'string') {
    return [problem('invalid_arguments', 'must provide a string', 'markdown_text')];
  }
  if (!isAbsent(text) || !isAbsent(blocks)) {
    return [
      problem('markdown_text_conflict', 'cannot be used with `text` or `blocks`', 'markdown_text'),
    ];
  }
  return countCodePoints(markdown) > maxMarkdownText
    ? [problem('msg_too_long', phrases.tooLong(maxMarkdownText), 'markdown_text')]
    : findTotalProblems([{ type: 'markdown', text: markdown }]);
}

function findBlocksProblems(argument: unknown, strict: boolean): Problem[] {
  if (isAbsent(argument)) return [];
  const blocks = readArgument(argument)?.value;
  if (!Array.isArray(blocks)) {
    return [problem('invalid_blocks_format', 'must provide an array', 'blocks')];
  }
  const base = ['blocks'];
  const faults = findBlockFaults(blocks, { surface: 'message', most: maxBlocks, base });
  if (faults.length > 0) return toProblems('invalid_blocks', faults);
  return [
    ...toProblems('invalid_blocks', findNameFaults(blocks, { base, blockIds: strict })),
    ...(strict ? findTotalProblems(blocks) : []),
  ];
}

function findAttachmentsProblems(argument: unknown, error: string): Problem[] {
  if (isAbsent(argument)) return [];
  const attachments = readArgument(argument)?.value;
  if (!Array.isArray(attachments)) return [problem(error, 'must provide an array', 'attachments')];
  if (attachments.length > maxAttachments) {
    return [problem('too_many_attachments', phrases.tooMany(maxAttachments), 'attachments')];
  }
  return toProblems(error, findAttachmentFaults(attachments));
}

function findEmptiness(payload: MessagePayload): Problem[] {
  const { text, markdown_text: markdown, blocks, attachments } = payload;
  const isEmpty = (value: unknown) => {
    if (isAbsent(value)) return true;
    const list = readArgument(value)?.value;
    return Array.isArray(list) && list.length === 0;
  };
  const hasText = [text, markdown].some((value) =>
    typeof value !== 'string' ? !isAbsent(value) : value.trim() !== '',
  );
  return hasText || !isEmpty(blocks) || !isEmpty(attachments)
    ? []
    : [problem('no_text', phrases.either('text', 'blocks', 'attachments'), 'text')];
}

const text = z.string().optional();

/** Schema of a legacy attachment. Slack ignores its unknown fields, but not wrong types. */
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

/**
 * Finds problems in attachments. Block IDs aren't compared, because the message and each attachment can use the same
 * IDs.
 */
function findAttachmentFaults(attachments: readonly unknown[]): Finding[] {
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

/** Schema of a message's metadata, which can have any payload. */
const metadata = z.looseObject({
  event_type: textField({ min_length: 1, max_length: 255 }),
  event_payload: z.record(z.string(), z.unknown()),
});

function findMetadataProblems(value: unknown): Problem[] {
  const argument = readArgument(value);
  if (!argument || typeof argument.value !== 'object' || argument.value === null) {
    return [problem('invalid_metadata_format', 'must provide an object', 'metadata')];
  }
  return toProblems('invalid_metadata_schema', findFaults(metadata, argument.value, ['metadata']));
}
