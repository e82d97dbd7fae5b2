/** Renders the inputs that only one kind of trigger has. */
import type { InputBlock, KnownBlock } from '@slack/types';
import {
  type TriggerKind,
  type WebhookSender,
  webhookSenders,
} from '../../../automations/automation.ts';
import { readyMade } from '../../../automations/ready-made.ts';
import { senderInText, senderTexts } from '../../../automations/webhook/senders.ts';
import { context, textInput } from '../../text/blocks.ts';
import { code, limits } from '../../text/escape-text.ts';
import { listInput, peopleInput, selectInput } from '../../text/form-inputs.ts';
import {
  type AutomationField,
  type AutomationFormContent,
  type AutomationValues,
  blockIdOf,
  type HookAddress,
} from './form-content.ts';
import { automationFormIds } from './form-ids.ts';

/** Makes a select menu send an action at once, so that the form can change with it. */
export const sendingAction = (block: InputBlock, actionId: string): InputBlock => ({
  ...block,
  dispatch_action: true,
  element: { ...block.element, action_id: actionId } as InputBlock['element'],
});

type Block = (field: AutomationField) => string;

export function triggerInputs(kind: TriggerKind, content: AutomationFormContent): KnownBlock[] {
  const block: Block = (field) => blockIdOf(content.metadata, field);
  return inputsOf[kind](content, block);
}

const inputsOf: Record<
  TriggerKind,
  (content: AutomationFormContent, block: Block) => KnownBlock[]
> = {
  schedule: ({ values }, block) => [
    textInput({
      blockId: block('when'),
      label: 'When',
      value: values.when,
      maxLength: 200,
      placeholder: 'every weekday at 9:00',
      hint: 'For example: every Monday and Thursday at 14:30, first Monday of the month at 8:30, every 15 minutes, or cron: 0 9 * * 1-5.',
    }),
    textInput({
      blockId: block('time_zone'),
      label: 'Time zone',
      value: values.time_zone,
      maxLength: 64,
      placeholder: 'Europe/Berlin',
    }),
    selectInput({
      blockId: block('overlap'),
      label: 'If the last run is still in progress',
      choices: [
        { value: 'skip', text: 'Skip the new run' },
        { value: 'queue', text: 'Start the new run afterwards' },
      ],
      value: values.overlap ?? 'skip',
    }),
  ],
  webhook: ({ values, metadata, hooks }, block) => {
    const sender = senderOf(values);
    const { makesSecret, setup } = senderTexts[sender];
    const { events = '' } = readyMade.find((each) => each.name === values.ready_made) ?? {};
    return [
      sendingAction(
        selectInput({
          blockId: block('sender'),
          label: 'Sender',
          choices: webhookSenders.map((value) => ({ value, text: senderTexts[value].name })),
          value: sender,
        }),
        automationFormIds.sender,
      ),
      context(`${hookText(hooks, metadata.id)}\n${setup} ${events}`.trim()),
      ...(makesSecret ? [secretInput(sender, metadata.source?.from, block('secret'))] : []),
      textInput({
        blockId: block('filter'),
        label: 'Only if',
        value: values.filter,
        multiline: true,
        optional: true,
        placeholder:
          'action equals labeled\nissue.title contains crash\nor issue.title matches *panic*',
        hint: filterHint,
      }),
    ];
  },
  message: ({ values, bots }, block) => [
    textInput({
      blockId: block('text'),
      label: 'Text',
      value: values.text,
      optional: true,
      maxLength: 500,
      placeholder: 'FIRING*production',
      hint: "Text that the message contains. * stands for any text. Default: every message that doesn't mention the app.",
    }),
    selectInput({
      blockId: block('from'),
      label: 'From',
      choices: [
        { value: 'people', text: 'People' },
        ...(bots.length > 0
          ? [
              { value: 'both', text: 'People and bots' },
              { value: 'bots', text: 'Bots' },
            ]
          : []),
      ],
      value: values.from ?? 'people',
    }),
    peopleInput({
      blockId: block('people'),
      label: 'People',
      ids: listOf(values.people),
      hint: 'Default: all full members who can start runs here.',
    }),
    ...botsInput(bots, values.bots, block('bots')),
  ],
  reaction: ({ values }, block) => [
    textInput({
      blockId: block('emoji'),
      label: 'Emoji',
      value: values.emoji,
      maxLength: 102,
      placeholder: ':eyes:',
      hint: 'People who can start runs here react with it. Each message starts at most one run.',
    }),
  ],
};

function botsInput(
  bots: AutomationFormContent['bots'],
  selected: string | undefined,
  blockId: string,
): (InputBlock | ReturnType<typeof context>)[] {
  if (bots.length === 0) return [context(noBots)];
  return [
    listInput({
      blockId,
      label: 'Bots',
      placeholder: 'Choose bots',
      choices: bots.map(({ botId, name }) => ({ value: botId, text: name })),
      values: listOf(selected),
      hint: 'Bots that an admin allowed.',
    }),
  ];
}

const noBots =
  'To start runs from the messages of a bot, ask an admin to allow it first: *Allowed bots* in `/agent automations`.';

export const senderOf = ({ sender }: AutomationValues): WebhookSender =>
  webhookSenders.find((each) => each === sender) ?? 'bearer';

const filterHint =
  'One condition per line: a field, then equals, contains or matches, then a text. All lines must hold, and a line with "or" is an alternative. Default: every delivery.';

/** Renders the input for a secret that the sender makes. An automation keeps its own if the input is empty. */
const secretInput = (
  sender: WebhookSender,
  from: string | undefined,
  blockId: string,
): InputBlock =>
  textInput({
    blockId,
    label: `Secret from ${senderInText(sender)}`,
    optional: from === 'automation',
    maxLength: 200,
    ...(from === 'automation' && { hint: newSecretHint }),
    ...(from === 'takeover' && { hint: `Get a new one from ${senderInText(sender)}.` }),
  });

const newSecretHint =
  'Default: the current one. A new one replaces it, and the current one works for 24 more hours.';

/** Returns the address to which a sender delivers, and what the operator has to set first, in mrkdwn. */
export const hookText = ({ publicUrl, isServed }: HookAddress, id: string): string =>
  [
    `URL: ${code(`${publicUrl ?? '…'}/hooks/${id}`, limits.linkedUrl)}`,
    ...(publicUrl
      ? []
      : ["It begins with the bot's address, which the bot's operator can set as `PUBLIC_URL`."]),
    ...(isServed
      ? []
      : ["⚠️ The bot can't receive webhooks yet. Ask the bot's operator to set `PORT`."]),
  ].join('\n');

/** Reads a list of IDs, which are separated by commas. */
export const listOf = (ids: string | undefined): string[] =>
  (ids ?? '').split(',').filter((id) => id !== '');
