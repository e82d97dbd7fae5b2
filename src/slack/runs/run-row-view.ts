/** One row of a list of runs: renders it, and reads what was picked in its overflow menu. */
import type { ContextBlock, PlainTextOption, SectionBlock } from '@slack/types';
import { z } from 'zod';
import type { KnownPeople } from '../people/people.ts';
import { ago, escapeText, plain, safeUrl, shorten } from '../text/blocks.ts';
import { type RunRef, readRunRef, writeRunRef } from './run-ref.ts';
import type { RunRow } from './run-rows.ts';
import { boldTitle } from './run-title.ts';

export const rowAction = /^run:row:/;

const verbSchema = z.enum(['open', 'details', 'again', 'change', 'cancel']);
type RowVerb = z.infer<typeof verbSchema>;
export type RowPick = { verb: RowVerb; ref: RunRef };

const words: Record<RowVerb, string> = {
  open: 'Open session',
  details: 'Details',
  again: 'Run again',
  change: 'Run again with changes',
  cancel: 'Cancel',
};

const optionTextLimit = 75;
const optionValueLimit = 150;

/** For whom a row is drawn. */
export type RowViewer = {
  userId: string;
  /** Whether they may cancel the runs of others. */
  mayCancelAll: boolean;
  people: KnownPeople;
};

/** `id` tells apart rows of one view or message; a row without one offers nothing to do. */
export function renderRow(
  row: RunRow,
  viewer: RowViewer,
  id?: string,
): [SectionBlock, ContextBlock] {
  const options = id === undefined ? [] : renderOptions(row, viewer);
  return [
    {
      type: 'section',
      text: {
        type: 'mrkdwn',
        text: `${row.label.sign} ${boldTitle(row.title, 200)}`,
        verbatim: true,
      },
      ...(options.length > 0 && {
        accessory: { type: 'overflow', action_id: `run:row:${id}`, options },
      }),
    },
    {
      type: 'context',
      elements: [
        ...renderPicture(row, viewer),
        { type: 'mrkdwn', text: renderFacts(row).join('  ·  '), verbatim: true },
      ],
    },
  ];
}

function renderPicture({ creator }: RunRow, { people }: RowViewer) {
  const person = 'slackUserId' in creator ? people.get(creator.slackUserId) : undefined;
  const url = safeUrl(person?.picture);
  if (!person || !url) return [];
  const altText = shorten(`Picture of ${person.name}`, 200);
  return [{ type: 'image' as const, image_url: url, alt_text: altText }];
}

function renderFacts(row: RunRow): string[] {
  const creator =
    'slackUserId' in row.creator
      ? `<@${row.creator.slackUserId}>`
      : escapeText(row.creator.name, 100);
  return [
    escapeText(row.label.word, 50),
    creator,
    row.at === null ? 'time unknown' : ago(row.at),
    ...(row.environment ? [`in ${escapeText(row.environment, 50)}`] : []),
    `from ${escapeText(row.source, 50)}`,
  ];
}

function renderOptions(row: RunRow, viewer: RowViewer): PlainTextOption[] {
  const url = safeUrl(row.sessionLink);
  const isMine = 'slackUserId' in row.creator && row.creator.slackUserId === viewer.userId;
  const mayCancel = row.isCancellable && (isMine || viewer.mayCancelAll);
  const verbs: RowVerb[] = [
    ...(url ? (['open'] as const) : []),
    'details',
    ...(row.isOver ? (['again', 'change'] as const) : []),
    ...(mayCancel ? (['cancel'] as const) : []),
  ];
  return (
    verbs
      .map((verb) => ({
        text: plain(words[verb], optionTextLimit),
        value: `${verb}:${verb === 'open' ? '' : writeRunRef(row.ref)}`,
        ...(verb === 'open' && url && { url }),
      }))
      // A longer id would have to be cut, and lead to nothing.
      .filter(({ value }) => [...value].length <= optionValueLimit)
  );
}

export function readRowPick(value: string | undefined): RowPick | undefined {
  const [written, ...rest] = value?.split(':') ?? [];
  const verb = verbSchema.safeParse(written).data;
  const ref = readRunRef(rest.join(':'));
  return verb && ref && { verb, ref };
}
