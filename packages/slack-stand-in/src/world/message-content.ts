import type { Problem } from '../block-kit/checks/findings.ts';
import { expandBlocks } from '../block-kit/markdown/expand-markdown.ts';
import { type MessageMethod, validateMessage } from '../block-kit/validate-message.ts';
import type { JsonObject } from '../lib/json.ts';
import { ApiError } from '../web-api/api-error.ts';
import { withIds } from './view-elements.ts';

export type Content = {
  text?: string | undefined;
  markdown_text?: string | undefined;
  blocks?: JsonObject[] | undefined;
  attachments?: JsonObject[] | undefined;
  metadata?: JsonObject | undefined;
};

const largestMetadataBytes = 16_000;

/** Checks the content of a message as Slack does, and returns the content to store. */
export function readContent(content: Content, method: MessageMethod) {
  const { text, markdown_text: markdown, blocks, attachments, metadata } = content;
  rejectProblems(validateMessage(content, { method }));
  if (metadata && Buffer.byteLength(JSON.stringify(metadata)) > largestMetadataBytes) {
    throw new ApiError('metadata_too_large');
  }
  const markdownBlock = markdown ? [{ type: 'markdown', text: markdown }] : undefined;
  const shown = blocks ?? markdownBlock;
  return {
    text: text ?? markdown ?? '',
    ...(shown && { blocks: shownBlocks(shown), sentRichText: hasRichText(shown) }),
    ...(attachments && { attachments: attachments.map(withAttachmentIds) }),
    ...(metadata && { metadata }),
  };
}

/** Expands markdown, because Slack stores only the blocks that it becomes. */
const shownBlocks = (blocks: readonly JsonObject[]) => withIds(expandBlocks(blocks));

export const hasRichText = (blocks: readonly JsonObject[] | undefined): boolean =>
  blocks?.some(({ type }) => type === 'rich_text') ?? false;

function withAttachmentIds(attachment: JsonObject, index: number): JsonObject {
  const { blocks } = attachment;
  const shown = Array.isArray(blocks) ? { blocks: shownBlocks(blocks) } : {};
  return { id: index + 1, fallback: '[no preview available]', ...attachment, ...shown };
}

/** Throws Slack's error for wrong content: the first problem's code, and a line with a pointer for each problem. */
export function rejectProblems(problems: readonly Problem[]): void {
  const first = problems[0];
  if (!first) return;
  const messages = problems.map(({ message }) => message);
  throw new ApiError(first.error, { response_metadata: { messages } });
}
