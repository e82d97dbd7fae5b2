/** One row of the list: renders it, and reads what was picked in its overflow menu. */
import type { PlainTextOption, SectionBlock } from '@slack/types';
import { z } from 'zod';
import { escapeText, plain, safeUrl, shorten, time } from '../blocks.ts';
import type { HomeRow } from './home-rows.ts';

export const rowAction = /^home:row:/;

const pickSchema = z.tuple([z.enum(['open', 'details']), z.string()]);
export type RowPick = { verb: 'open' | 'details'; requestId: string };

const optionTextLimit = 75;
const optionValueLimit = 150;
/** Slack takes addresses of this length on an option. */
const optionUrlLimit = 3_000;

/** `id` tells apart rows of one view. */
export function renderRow(row: HomeRow, id: string): SectionBlock {
  const options = renderOptions(row);
  const text = `${row.label.sign} *${bold(row.title)}*\n${renderFacts(row).join('  ·  ')}`;
  return {
    type: 'section',
    text: { type: 'mrkdwn', text, verbatim: true },
    ...(options.length > 0 && {
      accessory: { type: 'overflow', action_id: `home:row:${id}`, options },
    }),
  };
}

function renderFacts(row: HomeRow): string[] {
  const creator =
    'slackUserId' in row.creator
      ? `<@${row.creator.slackUserId}>`
      : escapeText(row.creator.name, 100);
  return [
    escapeText(row.label.word, 50),
    creator,
    row.at === null ? 'time unknown' : time(row.at),
    ...(row.environment ? [`in ${escapeText(row.environment, 50)}`] : []),
    `from ${escapeText(row.source, 50)}`,
  ];
}

function renderOptions({ sessionLink, requestId }: HomeRow): PlainTextOption[] {
  const url = safeUrl(sessionLink);
  const option = (
    verb: RowPick['verb'],
    text: string,
    more: { url?: string } = {},
  ): PlainTextOption => ({
    text: plain(text, optionTextLimit),
    value: shorten(`${verb}:${requestId ?? ''}`, optionValueLimit),
    ...more,
  });
  // A longer id would be cut, and lead to nothing.
  const isOurs = requestId !== undefined && requestId.length < optionValueLimit - 10;
  return [
    ...(url && url.length <= optionUrlLimit ? [option('open', 'Open session', { url })] : []),
    ...(isOurs ? [option('details', 'Details')] : []),
  ];
}

export function readRowPick(value: string | undefined): RowPick | undefined {
  const [verb, ...rest] = value?.split(':') ?? [];
  const pick = pickSchema.safeParse([verb, rest.join(':')]);
  return pick.success ? { verb: pick.data[0], requestId: pick.data[1] } : undefined;
}

/** A title in bold: its own asterisks would end that. */
const bold = (title: string) =>
  escapeText(title.replace(/[\s*]+/g, ' ').trim() || 'without a title', 200);
