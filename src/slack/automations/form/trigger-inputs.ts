/** Renders the inputs that only one kind of trigger has. */
import type { InputBlock, KnownBlock } from '@slack/types';
import type { TriggerKind, WebhookSender } from '../../../automations/automation.ts';
import { context, textInput } from '../../text/blocks.ts';
import { escapeText, limits } from '../../text/escape-text.ts';
import { listInput, peopleInput, selectInput } from '../../text/form-inputs.ts';
import {
  type AutomationField,
  type AutomationFormContent,
  blockIdOf,
  type HookAddress,
} from './form-content.ts';

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
    const id = metadata.source?.from === 'run' ? undefined : metadata.source?.id;
    return [
      context(hookText(hooks, id)),
      selectInput({
        blockId: block('sender'),
        label: 'Signed by',
        choices: Object.entries(senderNames).map(([value, text]) => ({ value, text })),
        value: values.sender ?? 'standard',
      }),
      textInput({
        blockId: block('secret'),
        label: 'Secret from the sender',
        optional: true,
        maxLength: 200,
        hint: id ? newSecretHint : secretHint,
      }),
      textInput({
        blockId: block('filter'),
        label: 'Only if',
        value: values.filter,
        multiline: true,
        optional: true,
        placeholder:
          'action equals labeled\nissue.title contains crash\nor issue.title matches *panic*',
        hint: 'One condition per line: a field, then equals, contains or matches, then a text. All lines must hold, and a line with "or" is an alternative. Default: every delivery.',
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

export const senderNames: Record<WebhookSender, string> = {
  standard: 'Standard Webhooks',
  github: 'GitHub',
  gitlab: 'GitLab',
  sentry: 'Sentry',
  pagerduty: 'PagerDuty',
  bearer: 'A token: Authorization: Bearer …',
};

const secretHint =
  'Sentry and PagerDuty give you a secret: paste it here. For other senders, the app makes one and shows it once when you save.';
const newSecretHint =
  'Paste a new secret if the sender made one. The current one then works for 24 more hours.';

/** Returns the address to which a sender delivers, or what an operator has to set first. `id` is unknown before saving. */
export function hookText({ publicUrl, isServed }: HookAddress, id: string | undefined): string {
  if (!isServed)
    return '⚠️ Nothing is received yet, because the bot listens on no port. Ask its operator to set `PORT`.';
  const path = `/hooks/${id ?? '…'}`;
  if (!publicUrl)
    return `Address: \`${path}\` on the bot's server. To show the whole address here, its operator sets \`PUBLIC_URL\`.`;
  return id
    ? `Address: \`${escapeText(publicUrl + path, limits.linkedUrl)}\``
    : 'You get the address for the sender when you save.';
}

/** Reads a list of IDs, which are separated by commas. */
export const listOf = (ids: string | undefined): string[] =>
  (ids ?? '').split(',').filter((id) => id !== '');
