import type { ActionsBlock, HomeView, KnownBlock } from '@slack/types';
import { z } from 'zod';
import { button, context, escapeText, header, plain, safeUrl, section, time } from '../blocks.ts';
import { newRunButton } from '../run-buttons.ts';
import type { HomeFilter } from './home-filter.ts';
import type { HomeRow } from './home-rows.ts';

export const homeActions = {
  creator: 'home:creator',
  person: 'home:person',
  refresh: 'home:refresh',
  open: 'home:open-session',
} as const;

export const rowsShown = 20;

const creators = { me: 'My runs', everyone: 'Everyone’s runs', person: 'Runs of …' } as const;
const creatorSchema = z.enum(['me', 'everyone', 'person']);

type HomeContent = { filter: HomeFilter; rows: readonly HomeRow[]; notice?: string | undefined };

export function renderHome({ filter, rows, notice }: HomeContent): HomeView {
  return {
    type: 'home',
    blocks: [
      header('Agent runs'),
      renderFilter(filter),
      ...(notice ? [section(`⚠️ ${notice}`)] : []),
      { type: 'divider' },
      ...(rows.length > 0 ? rows.slice(0, rowsShown).flatMap(renderRow) : renderEmpty(filter)),
    ],
  };
}

function renderFilter(filter: HomeFilter): ActionsBlock {
  const option = (value: HomeFilter['creator']) => ({ text: plain(creators[value], 75), value });
  return {
    type: 'actions',
    block_id: 'home:filter',
    elements: [
      {
        type: 'static_select',
        action_id: homeActions.creator,
        options: creatorSchema.options.map(option),
        initial_option: option(filter.creator),
      },
      ...(filter.creator === 'person'
        ? [
            {
              type: 'users_select' as const,
              action_id: homeActions.person,
              placeholder: plain('Whose runs?', 150),
              ...(filter.userId && { initial_user: filter.userId }),
            },
          ]
        : []),
      button(homeActions.refresh, 'Refresh'),
      newRunButton(),
    ],
  };
}

function renderRow(row: HomeRow, index: number): KnownBlock[] {
  const url = safeUrl(row.sessionLink);
  const creator =
    'slackUserId' in row.creator
      ? `<@${row.creator.slackUserId}>`
      : escapeText(row.creator.name, 100);
  const facts = [
    `${row.label.sign} ${escapeText(row.label.word, 50)}`,
    creator,
    Number.isFinite(row.at) ? time(row.at) : 'time unknown',
    `from ${escapeText(row.source, 50)}`,
  ];
  return [
    section(
      `*${escapeText(row.title.split('\n')[0] ?? '', 150)}*`,
      url ? button(`${homeActions.open}:${index}`, 'Open session', { url }) : undefined,
    ),
    context(facts.join('  ·  ')),
  ];
}

function renderEmpty(filter: HomeFilter): KnownBlock[] {
  const nothing: Record<HomeFilter['creator'], string> = {
    me: 'You have not started a run yet.',
    everyone: 'Nobody has started a run yet.',
    person: 'No runs of this person.',
  };
  return [section(`${nothing[filter.creator]} Type \`/agent\` in any channel to start one.`)];
}

type SelectAction = { selected_option?: { value: string } | null; selected_user?: string | null };

/** What the filter's elements say when one of them was changed; undefined when that is not a filter. */
export function readHomeFilterAction(
  action: SelectAction,
  viewerId: string,
): HomeFilter | undefined {
  if (action.selected_user) return { creator: 'person', userId: action.selected_user };
  const creator = creatorSchema.safeParse(action.selected_option?.value);
  if (!creator.success) return undefined;
  return creator.data === 'person'
    ? { creator: 'person', userId: viewerId }
    : { creator: creator.data };
}
