import type { KnownBlock } from '@slack/types';
import { plainPlan } from './render-plan.ts';
import type { RunMessage } from './render-run-message.ts';

/** The message without the newer kinds of blocks, which Slack may refuse in a workspace. */
export function plainRunMessage({ text, blocks }: RunMessage): RunMessage {
  return { text, blocks: blocks.map(plainBlock) };
}

export const hasNewBlocks = ({ blocks }: RunMessage): boolean =>
  blocks.some((block) => plainBlock(block) !== block);

const plainBlock = (block: KnownBlock): KnownBlock =>
  block.type === 'plan' ? plainPlan(block) : block;
