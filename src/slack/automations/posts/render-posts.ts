import type { KnownBlock } from '@slack/types';
import type { AutomationNotice } from '../../../automations/notice.ts';
import { boldTitle, plainTitle } from '../../runs/showing/run-label.ts';
import { actions, button, context, section } from '../../text/blocks.ts';
import { escapeText } from '../../text/escape-text.ts';
import type { KnownNames } from '../../text/typed-text.ts';
import { automationActions } from '../page/automation-actions.ts';

export type AutomationMessage = { text: string; blocks: KnownBlock[] };

const openButton = (automationId: string) =>
  actions([button(automationActions.open, 'Open automation', { value: automationId })]);

/** Renders why an automation is paused. The channel reads the owner's name, because only the owner is notified. */
export function renderPauseNotice(
  { automationId, name, ownerId, channelId, userId, sentence }: AutomationNotice,
  names: KnownNames,
): AutomationMessage {
  const owner = escapeText(names.get(ownerId) ?? 'its owner', 100);
  const where = userId === null ? `, owned by ${owner},` : ` in <#${channelId}>`;
  const next =
    userId === null
      ? `${owner} or a workspace admin can resume it.`
      : "It starts no runs until it's resumed.";
  return {
    text: `Automation ${plainTitle(name)} is paused`,
    blocks: [
      section(`⏸️ Automation ${boldTitle(name)}${where} is paused. ${sentence}`),
      context(next),
      openButton(automationId),
    ],
  };
}

export const renderThreadStart = ({
  automationId,
  name,
}: Pick<AutomationNotice, 'automationId' | 'name'>): AutomationMessage => ({
  text: `Runs of automation ${plainTitle(name)} appear in this thread.`,
  blocks: [
    section(`Runs of automation ${boldTitle(name)} appear in this thread.`),
    openButton(automationId),
  ],
});
