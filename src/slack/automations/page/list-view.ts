/** Renders the list of automations by channel. */
import type { ActionsBlock, KnownBlock, ModalView } from '@slack/types';
import type { ListedAutomation } from '../../../store/automations/automation-list.ts';
import { boldTitle } from '../../runs/showing/run-label.ts';
import { button, context, modal, section } from '../../text/blocks.ts';
import { ago, time } from '../../text/dates.ts';
import { option } from '../../text/form-inputs.ts';
import { dollars } from '../../text/money.ts';
import {
  allowedBotsAction,
  automationActions,
  type PagePosition,
  pageView,
  turnButtons,
  type Which,
} from './automation-actions.ts';
import { outcomeText, triggerText } from './automation-words.ts';

/** Max automations on a page. Each needs up to two of the 100 blocks that Slack allows in a view. */
export const listedAtOnce = 25;

type ListContent = {
  position: PagePosition;
  /** Up to one more than a page shows. */
  automations: readonly ListedAutomation[];
  isAdmin: boolean;
  /** Names of the allowed bots, by ID. */
  botNames: ReadonlyMap<string, string>;
};

export function renderList({ position, automations, isAdmin, botNames }: ListContent): ModalView {
  const shown = automations.slice(0, listedAtOnce);
  const last = automations.length > shown.length ? shown.at(-1) : undefined;
  const next = last && { after: { channelId: last.channelId, name: last.name } };
  return modal({
    title: 'Automations',
    callbackId: pageView,
    metadata: position,
    blocks: [
      renderTop(position, isAdmin),
      ...(shown.length === 0 ? [section(noneTexts[position.which])] : []),
      ...shown.flatMap((automation, index) => [
        ...(automation.channelId === shown[index - 1]?.channelId
          ? []
          : [context(`*<#${automation.channelId}>*`)]),
        renderRow(automation, botNames),
      ]),
      ...turnButtons(['First page', 'Next →'], { isFirst: !position.after, next }),
    ],
  });
}

const noneTexts: Record<Which, string> = {
  all: '*No automations yet.* An automation starts runs on a schedule, or for a webhook, a message or a reaction.',
  mine: "You don't own any automations.",
  here: 'No automations in this channel.',
};

const whichTexts: Record<Which, string> = {
  all: 'All channels',
  mine: 'My automations',
  here: 'This channel',
};

function renderTop({ channelId, which }: PagePosition, isAdmin: boolean): ActionsBlock {
  const offered: Which[] = ['all', 'mine', ...(channelId ? (['here'] as const) : [])];
  const optionOf = (each: Which) => option(whichTexts[each], each);
  return {
    type: 'actions',
    elements: [
      button(automationActions.new, 'New automation', { style: 'primary' }),
      {
        type: 'static_select',
        action_id: automationActions.which,
        options: offered.map(optionOf),
        initial_option: optionOf(which),
      },
      ...(isAdmin ? [button(allowedBotsAction, 'Allowed bots')] : []),
    ],
  };
}

function renderRow(automation: ListedAutomation, botNames: ListContent['botNames']): KnownBlock {
  const { id, name, ownerId, definition, pause, nextAt, last, spentMicros } = automation;
  const facts = [
    pause ? '⏸️ *Paused*' : nextAt !== null && `Next: ${time(nextAt)}`,
    last && `${ago(last.firing.happenedAt)}: ${outcomeText(last).replace(/\.$/, '')}`,
    spentMicros > 0 && `${dollars(spentMicros)} in 30 days`,
    `<@${ownerId}>`,
  ].filter((fact) => typeof fact === 'string');
  return section(
    `${boldTitle(name)}  ·  ${triggerText(definition.trigger, botNames)}\n${facts.join('  ·  ')}`,
    button(automationActions.open, 'Open', { value: id }),
  );
}
