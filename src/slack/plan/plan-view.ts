import type { KnownBlock, ModalView } from '@slack/types';
import { readableLine, readableText } from '../../lib/readable-text.ts';
import { context, escapeText, plain, plainTexts, section } from '../text/blocks.ts';

/** A view takes 250 KB. */
const textPieces = 20;
const titleLimit = 200;

/** The Markdown of an agent as it wrote it, because modals take no Markdown. */
export function renderPlan(title: string, content: string): ModalView {
  const name = escapeText(readableLine(title), titleLimit);
  const text = readableText(content).trim() || 'This plan is empty.';
  return modal([...(name ? [context(name)] : []), ...plainTexts(text, textPieces)]);
}

/** `words` are mrkdwn. */
export const renderPlanMessage = (words: string): ModalView => modal([section(words)]);

const modal = (blocks: KnownBlock[]): ModalView => ({
  type: 'modal',
  callback_id: 'plan',
  title: plain('Plan', 24),
  close: plain('Close', 24),
  blocks,
});
