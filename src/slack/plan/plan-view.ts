import type { KnownBlock, ModalView } from '@slack/types';
import { readableLine, readableText } from 'base/readable-text';
import { context, modal, section } from '../text/blocks.ts';
import { escapeText } from '../text/escape-text.ts';
import { plainTexts } from '../text/rich-text.ts';

/** A view takes 250 KB. */
const textPieces = 20;
const titleLimit = 200;

/** The Markdown of an agent as it wrote it, because modals take no Markdown. */
export function renderPlan(title: string, content: string): ModalView {
  const name = escapeText(readableLine(title), titleLimit);
  const text = readableText(content).trim() || 'This plan is empty.';
  return planModal([...(name ? [context(name)] : []), ...plainTexts(text, textPieces)]);
}

/** `words` are mrkdwn. */
export const renderPlanMessage = (words: string): ModalView => planModal([section(words)]);

const planModal = (blocks: KnownBlock[]): ModalView =>
  modal({ callbackId: 'plan', title: 'Plan', blocks });
