import { ApiError } from './api-error.ts';
import type { JsonObject } from './json.ts';
import { withIds } from './view-elements.ts';

/** A problem of blocks, as the Block Kit validation names it. */
export type BlockProblem = { code: string; message: string; pointer: string };

/** What a message or view must obey; `[]` means that it is right. */
export type Validation = {
  message(payload: JsonObject): BlockProblem[];
  view(view: JsonObject): BlockProblem[];
};

export type Content = {
  text?: string | undefined;
  markdown_text?: string | undefined;
  blocks?: JsonObject[] | undefined;
  attachments?: JsonObject[] | undefined;
  metadata?: JsonObject | undefined;
};

const longestText = 40_000;
const longestMarkdown = 12_000;
const mostAttachments = 100;
const largestMetadataBytes = 16_000;

/**
 * Checks what a message says and brings it into the form that is kept. `whole` answers true for messages that need
 * text, blocks or attachments (all but updates of metadata alone).
 */
export function readContent(content: Content, validation: Validation) {
  const { text, markdown_text: markdown, blocks, attachments, metadata } = content;
  if (markdown !== undefined && (text !== undefined || blocks)) {
    throw new ApiError('markdown_text_conflict');
  }
  if ([...(markdown ?? '')].length > longestMarkdown) throw new ApiError('msg_too_long');
  if ((attachments?.length ?? 0) > mostAttachments) throw new ApiError('too_many_attachments');
  if (!text && !markdown && !blocks?.length && !attachments?.length) throw new ApiError('no_text');
  if (metadata) checkMetadata(metadata);
  refuse(validation.message({ text, blocks, attachments }));
  const markdownBlock = markdown ? [{ type: 'markdown', text: markdown }] : undefined;
  const shown = blocks ?? markdownBlock;
  return {
    text: [...(text ?? markdown ?? '')].slice(0, longestText).join(''),
    ...(shown && { blocks: withIds(shown) }),
    ...(attachments && {
      attachments: attachments.map((each, index) => ({ id: index + 1, ...each })),
    }),
    ...(metadata && { metadata }),
  };
}

function checkMetadata(metadata: JsonObject): void {
  const { event_type: type, event_payload: payload } = metadata;
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
  if (typeof type !== 'string' || type === '' || !isObject) {
    throw new ApiError('invalid_metadata_format');
  }
  if (Buffer.byteLength(JSON.stringify(metadata)) > largestMetadataBytes) {
    throw new ApiError('metadata_too_large');
  }
}

/** Wrong blocks are answered as Slack does: the error's name, and a message with a pointer for each problem. */
export function refuse(problems: readonly BlockProblem[]): void {
  const first = problems[0];
  if (!first) return;
  const messages = problems.map(
    ({ message, pointer }) => `[ERROR] ${message} [json-pointer:${pointer}]`,
  );
  throw new ApiError(first.code, { response_metadata: { messages } });
}
