import type { KnownBlock } from '@slack/types';
import { plainPlan } from './render-plan.ts';
import type { RunMessage } from './render-run-message.ts';

/** The message without the newer kinds of blocks, which Slack may refuse in a workspace. */
export const plainRunMessage = ({ text, blocks }: RunMessage): RunMessage => ({
  text,
  blocks: blocks.flatMap(plainBlock),
});

/** There is one at most: a plan while the run goes on, feedback when it has ended. */
export const newBlockIn = ({ blocks }: RunMessage): string | undefined =>
  blocks.find(({ type }) => type === 'plan' || type === 'context_actions')?.type;

/** Feedback has no plain form: two more buttons would take the place of the useful ones. */
function plainBlock(block: KnownBlock): KnownBlock[] {
  if (block.type === 'context_actions') return [];
  return [block.type === 'plan' ? plainPlan(block) : block];
}
