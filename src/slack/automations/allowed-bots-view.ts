/** Renders the modal with the bots that can fire automations, for admins. */
import type { ModalView } from '@slack/types';
import { boldTitle } from '../runs/showing/run-label.ts';
import { button, context, dangerConfirmation, modal, section, textInput } from '../text/blocks.ts';
import { code } from '../text/escape-text.ts';
import { type FormState, readFormValue } from '../text/form-inputs.ts';
import { type AllowedBot, maxAllowedBots } from './allowed-bots.ts';
import { allowedBotsAction } from './page/automation-actions.ts';

export const allowedBotIds = {
  open: allowedBotsAction,
  allow: 'automations:allow-bot',
  remove: 'automations:remove-bot',
} as const;

/** Prefix of the input's ID. It ends with the number of bots, so that Slack empties the input when a bot is added. */
const inputPrefix = 'bot:';

export function renderAllowedBots(bots: readonly AllowedBot[]): ModalView {
  const isFull = bots.length >= maxAllowedBots;
  return modal({
    callbackId: allowedBotIds.allow,
    title: 'Allowed bots',
    ...(!isFull && { submit: 'Allow' }),
    close: 'Back',
    blocks: [
      context(intro),
      ...(bots.length === 0 ? [section('*No bots yet.* Only messages of people start runs.')] : []),
      ...bots.map(renderBot),
      ...(isFull
        ? [context(`There are ${maxAllowedBots} bots, which is the limit.`)]
        : [
            textInput({
              blockId: `${inputPrefix}${bots.length}`,
              label: 'Allow a bot',
              placeholder: 'https://example.slack.com/archives/…',
              hint: 'Paste a link to one of its messages, in a channel that the app is in. Or type its ID, such as B012AB3CD.',
              maxLength: 500,
            }),
          ]),
    ],
  });
}

const intro =
  'Messages of these bots can start runs, in automations that name the bot. Anyone who can make a bot post can then start them.';

const renderBot = ({ botId, name, allowedBy }: AllowedBot) =>
  section(
    `${boldTitle(name)}  ·  ${code(botId, 40)}  ·  allowed by <@${allowedBy}>`,
    button(allowedBotIds.remove, 'Remove', {
      value: botId,
      confirm: dangerConfirmation(
        'Remove this bot?',
        `Messages of ${name} start no more runs. Active runs aren't affected.`,
        'Remove',
        'Keep bot',
      ),
    }),
  );

/** Returns the ID of the input, and what was typed. */
export function readBotInput(state: FormState): { blockId: string; typed: string } {
  const blockId = Object.keys(state.values).find((id) => id.startsWith(inputPrefix)) ?? inputPrefix;
  return { blockId, typed: readFormValue(state, blockId) ?? '' };
}
