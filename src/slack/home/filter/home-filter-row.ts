/** The first row of the Home tab, with the filters: renders it and reads what was picked. */
import type {
  ActionsBlock,
  ExternalSelect,
  KnownBlock,
  Overflow,
  StaticSelect,
} from '@slack/types';
import { z } from 'zod';
import { stateGroups } from '../../../store/requests/request-list.ts';
import { newRunButton } from '../../runs/showing/buttons/run-buttons.ts';
import { button, context, plain } from '../../text/blocks.ts';
import { escapeText } from '../../text/escape-text.ts';
import { readApiCreator, writeApiCreator } from '../listing/api-creators.ts';
import { type ApiCreator, type HomeFilter, isNarrowed } from './home-filter.ts';

export const homeActions = {
  creator: 'home:creator',
  person: 'home:person',
  apiCreator: 'home:api-creator',
  state: 'home:state',
  find: 'home:find',
  clear: 'home:clear',
  refresh: 'home:refresh',
  everyone: 'home:everyone',
  settings: 'home:settings',
  connections: 'home:connections',
  check: 'home:check',
  addToChannel: 'home:add-to-channel',
  more: 'home:more',
  newer: 'home:newer',
  older: 'home:older',
} as const;

/** Actions of the overflow menu. */
export const menuVerbs = ['settings', 'connections', 'refresh', 'addToChannel'] as const;
export type MenuVerb = (typeof menuVerbs)[number];

const menuWords: Record<MenuVerb, string> = {
  settings: 'Settings',
  connections: 'Connections',
  refresh: 'Refresh',
  addToChannel: 'Add app to channel',
};

const creators = {
  me: 'My runs',
  everyone: "Everyone's runs",
  person: 'Runs by…',
  elsewhere: 'Started outside Slack',
  api: 'Started outside Slack by…',
} as const;
const creatorSchema = z.enum(['me', 'everyone', 'person', 'elsewhere', 'api']);

const states = {
  any: 'Any state',
  live: 'Active',
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Canceled',
  review: 'Needs review',
} as const;
const stateSchema = z.enum(['any', ...stateGroups, 'review']);

export function renderFilterRow(filter: HomeFilter): KnownBlock[] {
  const elements: ActionsBlock['elements'] = [
    newRunButton(),
    select(homeActions.creator, creators, filter.creator),
    ...(filter.creator === 'person' ? [personSelect(filter.userId)] : []),
    ...(filter.creator === 'api' ? [apiCreatorSelect(filter.by)] : []),
    select(homeActions.state, states, filter.state ?? 'any'),
    button(homeActions.find, 'Find…'),
    ...(isNarrowed(filter) ? [button(homeActions.clear, 'Clear filters')] : []),
    menu,
  ];
  const found = [
    ...(filter.search ? [`words “${escapeText(filter.search, 100)}”`] : []),
    ...(filter.environment ? [`environment ${escapeText(filter.environment, 100)}`] : []),
    ...(filter.name ? [`name ${escapeText(filter.name, 100)}`] : []),
  ];
  return [
    { type: 'actions', block_id: 'home:filter', elements },
    ...(found.length > 0 ? [context(`Filtered by ${found.join(', ')}`)] : []),
  ];
}

const menu: Overflow = {
  type: 'overflow',
  action_id: homeActions.more,
  options: menuVerbs.map((value) => ({ text: plain(menuWords[value], 75), value })),
};

function select<Value extends string>(
  actionId: string,
  texts: Record<Value, string>,
  chosen: Value,
): StaticSelect {
  const option = (value: Value) => ({ text: plain(texts[value], 75), value });
  const values = Object.keys(texts) as Value[];
  return {
    type: 'static_select',
    action_id: actionId,
    options: values.map(option),
    initial_option: option(chosen),
  };
}

const personSelect = (userId: string) => ({
  type: 'users_select' as const,
  action_id: homeActions.person,
  placeholder: plain('Choose a creator', 150),
  initial_user: userId,
});

const apiCreatorSelect = (by: ApiCreator | undefined): ExternalSelect => ({
  type: 'external_select',
  action_id: homeActions.apiCreator,
  placeholder: plain('Choose a creator', 150),
  min_query_length: 0,
  ...(by && { initial_option: { text: plain(by.name, 75), value: writeApiCreator(by) } }),
});

type PickedAction = {
  action_id: string;
  selected_option?: { value?: string; text: { text: string } } | null;
  selected_user?: string | null;
};

/** The filter after something was picked; undefined if it wasn't a filter. */
export function readFilterAction(
  action: PickedAction,
  before: HomeFilter,
  viewerId: string,
): HomeFilter | undefined {
  const { state, environment, name, search } = before;
  const narrowed = { state, environment, name, search };
  const value = action.selected_option?.value;
  switch (action.action_id) {
    case homeActions.person:
      return action.selected_user
        ? { ...narrowed, creator: 'person', userId: action.selected_user }
        : undefined;
    case homeActions.apiCreator: {
      const by = readApiCreator(value ?? '', action.selected_option?.text.text ?? '');
      return by && { ...narrowed, creator: 'api', by };
    }
    case homeActions.everyone:
      return { ...narrowed, creator: 'everyone' };
    case homeActions.creator: {
      const creator = creatorSchema.safeParse(value).data;
      if (!creator) return undefined;
      return creator === 'person'
        ? { ...narrowed, creator, userId: viewerId }
        : { ...narrowed, creator };
    }
    case homeActions.state: {
      const picked = stateSchema.safeParse(value).data;
      return picked && { ...before, state: picked === 'any' ? undefined : picked };
    }
    case homeActions.clear:
      return {
        ...before,
        state: undefined,
        environment: undefined,
        name: undefined,
        search: undefined,
      };
    default:
      return undefined;
  }
}
