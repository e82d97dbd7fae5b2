/** How one layer wants ends of runs to be told: renders the fields and reads them back. */
import type { KnownBlock } from '@slack/types';
import {
  type FormState,
  type ListedChoice,
  readFormValue,
  selectInput,
} from '../configuration/form-inputs.ts';
import {
  type NoticeWishes,
  type ReplyPlace,
  replyPlaces,
} from '../configuration/notification-preferences.ts';
import type { Scope } from '../configuration/run-defaults.ts';

type BlockOf = (field: string) => string;

const replyWords: Record<ReplyPlace, string> = {
  thread: 'Reply in the thread that names {who}',
  direct: 'Direct message',
  both: 'Reply in the thread and direct message',
  none: 'Nothing: the run message shows it',
};

const below: Record<Scope, string> = {
  person: 'As the channel or the workspace has it',
  channel: 'As the workspace has it',
  workspace: 'As the app has it: reply in the thread',
};

const inherited = 'inherited';
const off = 'off';

export const hourChoices = (offText: string): ListedChoice[] => [
  { value: off, text: offText },
  ...Array.from({ length: 24 }, (_, hour) => ({
    value: String(hour),
    text: `${String(hour).padStart(2, '0')}:00`,
  })),
];

/** Undefined for "off". */
export function readHour(text: string | undefined): number | undefined {
  return text && text !== off ? Number(text) : undefined;
}

export const hourValue = (hour: number | undefined): string =>
  hour === undefined ? off : String(hour);

export function renderWishFields(
  scope: Scope,
  block: BlockOf,
  { reply, toChannel, quiet }: NoticeWishes,
): KnownBlock[] {
  const places = replyPlaces.map((value) => ({
    value,
    text: replyWords[value].replace('{who}', scope === 'person' ? 'me' : 'the creator'),
  }));
  const replies = selectInput({
    blockId: block('reply'),
    label: 'How people are told',
    choices: [{ value: inherited, text: below[scope] }, ...places],
    value: reply ?? inherited,
  });
  return [
    replies,
    ...(scope === 'person'
      ? renderQuiet(block, quiet)
      : [renderToChannel(scope, block, toChannel)]),
  ];
}

function renderQuiet(block: BlockOf, quiet: NoticeWishes['quiet']): KnownBlock[] {
  return [
    selectInput({
      blockId: block('quiet_from'),
      label: 'Quiet hours from',
      choices: hourChoices('No quiet hours'),
      value: hourValue(quiet?.from),
      hint: 'In your time zone, as Slack has it. What comes in quiet hours comes as a direct message when they end.',
    }),
    selectInput({
      blockId: block('quiet_until'),
      label: 'Quiet hours until',
      choices: hourChoices('No quiet hours'),
      value: hourValue(quiet?.until),
    }),
  ];
}

function renderToChannel(scope: Scope, block: BlockOf, toChannel: boolean | undefined) {
  return selectInput({
    blockId: block('to_channel'),
    label: 'Show ends in the channel too',
    choices: [
      { value: inherited, text: scope === 'channel' ? below.channel : 'As the app has it: no' },
      { value: 'yes', text: 'Yes: replies in the thread are also sent to the channel' },
      { value: 'no', text: 'No' },
    ],
    value: toChannel === undefined ? inherited : toChannel ? 'yes' : 'no',
  });
}

export type ReadWishes = { wishes: NoticeWishes; errors: Record<string, string> };

export function readWishFields(block: BlockOf, state: FormState): ReadWishes {
  const text = (field: string) => readFormValue(state, block(field));
  const reply = replyPlaces.find((place) => place === text('reply'));
  const shown = text('to_channel');
  const [from, until] = [readHour(text('quiet_from')), readHour(text('quiet_until'))];
  const errors: Record<string, string> = {};
  if ((from === undefined) !== (until === undefined)) {
    errors[block(from === undefined ? 'quiet_from' : 'quiet_until')] = 'Give both hours, or none.';
  } else if (from !== undefined && from === until) {
    errors[block('quiet_until')] = 'Both hours are the same. Give another one.';
  }
  const wishes = {
    ...(reply && { reply }),
    ...((shown === 'yes' || shown === 'no') && { toChannel: shown === 'yes' }),
    ...(from !== undefined && until !== undefined && { quiet: { from, until } }),
  };
  return { wishes, errors };
}
