/** Renders rows of a list of runs, and reads choices in their menus. */
import type { ContextBlock, KnownBlock, Overflow, SectionBlock } from '@slack/types';
import type { RunViewer } from '../../../store/requests/visible-requests.ts';
import type { KnownPeople, People } from '../../people/people.ts';
import type { Rights } from '../../people/rights.ts';
import { ago } from '../../text/dates.ts';
import { code, escapeText, safeUrl, shorten } from '../../text/escape-text.ts';
import type { RunRef } from '../run-ref.ts';
import { answerButton, type RunVerb, readMenuChoice, renderMenu } from './buttons/run-buttons.ts';
import { automationText } from './run-facts.ts';
import { boldTitle } from './run-label.ts';
import { peopleIn, type RunRow } from './run-rows.ts';

export const rowAction = /^run:row:/;

const rowVerbs = ['details', 'again', 'change', 'cancel'] as const satisfies RunVerb[];
export type RowChoice = { verb: (typeof rowVerbs)[number]; ref: RunRef };

/** Person who sees the row. */
export type RowViewer = {
  userId: string;
  /** True if the person can cancel other people's runs. */
  canCancelAll: boolean;
  people: KnownPeople;
  /** Request IDs of runs that have no message, because the app isn't allowed to post. */
  unposted?: ReadonlySet<string> | undefined;
};

export type RowViewerDeps = {
  people: Pick<People, 'look' | 'recall'>;
  promptRights: Pick<Rights, 'offersCancel'>;
};

/**
 * Reads what rows need to know about their viewer.
 * @param isWaiting true to use only the people in memory, so that rows are shown without waiting for Slack
 */
export async function readRowViewer(
  { people, promptRights }: RowViewerDeps,
  { teamId, userId }: RunViewer,
  rows: readonly RunRow[],
  isWaiting = false,
): Promise<RowViewer> {
  const ids = [userId, ...peopleIn(rows)];
  const found = isWaiting ? people.recall(ids) : await people.look(ids);
  const canCancelAll = await promptRights.offersCancel({ teamId, userId }, found.get(userId));
  return { userId, people: found, canCancelAll };
}

/**
 * Renders a row of a list of runs.
 * @param id unique within the view or message; a row without one has no menu
 * @param reference argument of `/agent show` and `/agent cancel` for this run
 */
export function renderRow(
  row: RunRow,
  viewer: RowViewer,
  id?: string,
  reference?: string,
): [SectionBlock, ContextBlock] {
  const accessory = id === undefined ? undefined : renderRowMenu(row, viewer, id);
  return renderRowText(row, viewer, { accessory, reference });
}

/** Renders a row of a run that the viewer started, with *Answer* if its question can be answered here. */
export function renderWaitingRow(row: RunRow, viewer: RowViewer, id: string): KnownBlock[] {
  const { ref, isAnswerable } = row;
  if (!isAnswerable || !('requestId' in ref)) return renderRow(row, viewer, id);
  const menu = renderRowMenu(row, viewer, id);
  const buttons = [answerButton(ref.requestId), ...(menu ? [menu] : [])];
  return [...renderRowText(row, viewer), { type: 'actions', elements: buttons }];
}

function renderRowText(
  row: RunRow,
  viewer: RowViewer,
  {
    accessory,
    reference,
  }: { accessory?: Overflow | undefined; reference?: string | undefined } = {},
): [SectionBlock, ContextBlock] {
  return [
    {
      type: 'section',
      text: {
        type: 'mrkdwn',
        text: `${row.label.sign} ${boldTitle(row.title, 200)}`,
        verbatim: true,
      },
      ...(accessory && { accessory }),
    },
    {
      type: 'context',
      elements: [
        ...renderPicture(row, viewer),
        {
          type: 'mrkdwn',
          text: [...renderFacts(row, viewer), ...(reference ? [code(reference, 60)] : [])].join(
            '  ·  ',
          ),
          verbatim: true,
        },
      ],
    },
  ];
}

const reasonLimit = 150;

function renderPicture({ creator }: RunRow, { people }: RowViewer) {
  const person = 'slackUserId' in creator ? people.get(creator.slackUserId) : undefined;
  const url = safeUrl(person?.picture);
  if (!person || !url) return [];
  const altText = shorten(`Picture of ${person.name}`, 200);
  return [{ type: 'image' as const, image_url: url, alt_text: altText }];
}

function renderFacts(row: RunRow, { unposted }: RowViewer): string[] {
  const isUnposted = 'requestId' in row.ref && unposted?.has(row.ref.requestId);
  const person =
    'slackUserId' in row.creator
      ? `<@${row.creator.slackUserId}>`
      : escapeText(row.creator.name, 100);
  const creator = row.automation === undefined ? person : automationText(row.automation, person);
  const state = row.reason
    ? `${escapeText(row.label.word, 50)}: ${escapeText(row.reason, reasonLimit)}`
    : escapeText(row.label.word, 50);
  const isFromSlack = 'requestId' in row.ref || row.source === 'Slack';
  return [
    state,
    ...row.outcome.map((fact) => `*${escapeText(fact, 100)}*`),
    creator,
    row.at === null ? 'time unknown' : ago(row.at),
    ...(row.environment ? [escapeText(row.environment, 50)] : []),
    ...(isFromSlack ? [] : [`from ${escapeText(row.source, 50)}`]),
    ...(isUnposted ? ["*no message: Slack doesn't let the app post*"] : []),
  ];
}

export function renderRowMenu(row: RunRow, viewer: RowViewer, id: string): Overflow | undefined {
  const url = safeUrl(row.sessionLink);
  const isMine = 'slackUserId' in row.creator && row.creator.slackUserId === viewer.userId;
  const canCancel = row.isCancelable && (isMine || viewer.canCancelAll);
  return renderMenu(`run:row:${id}`, { ref: row.ref, url }, [
    ...(url ? (['open'] as const) : []),
    'details',
    ...(row.isOver ? (['again', 'change'] as const) : []),
    ...(canCancel ? (['cancel'] as const) : []),
  ]);
}

export const readRowChoice = (value: string | undefined): RowChoice | undefined =>
  readMenuChoice(rowVerbs, value);
