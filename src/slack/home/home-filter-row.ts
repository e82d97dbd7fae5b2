/** Renders the row of filters at the top of Home and reads selections back. */
import type { ActionsBlock, KnownBlock, Overflow, StaticSelect } from '@slack/types';
import { z } from 'zod';
import { stateGroups } from '../../store/requests/request-list.ts';
import { newRunButton } from '../runs/showing/buttons/run-buttons.ts';
import { button, context, plain } from '../text/blocks.ts';
import { escapeText } from '../text/escape-text.ts';
import { type HomeFilter, isNarrowed } from './home-filter.ts';

export const homeActions = {
  creator: 'home:creator',
  person: 'home:person',
  state: 'home:state',
  find: 'home:find',
  clear: 'home:clear',
  refresh: 'home:refresh',
  everyone: 'home:everyone',
  settings: 'home:settings',
  connections: 'home:connections',
  automations: 'home:automations',
  usage: 'home:usage',
  more: 'home:more',
  newer: 'home:newer',
  older: 'home:older',
} as const;

/** Items of Home's overflow menu, in order. */
export const menuVerbs = ['automations', 'settings', 'connections', 'usage', 'refresh'] as const;
export type MenuVerb = (typeof menuVerbs)[number];

const menuTexts: Record<MenuVerb, string> = {
  automations: 'Automations',
  settings: 'Settings',
  connections: 'Connections',
  usage: 'Usage',
  refresh: 'Refresh',
};

const creators = {
  me: 'My runs',
  everyone: "Everyone's runs",
  person: 'Runs by…',
  automations: 'Automations',
  elsewhere: 'Started outside Slack',
} as const;
const creatorSchema = z.enum(['me', 'everyone', 'person', 'automations', 'elsewhere']);

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
    select(homeActions.state, states, filter.state ?? 'any'),
    button(homeActions.find, 'Find…'),
    ...(isNarrowed(filter) ? [button(homeActions.clear, 'Clear filters')] : []),
    menu,
  ];
  const found = [
    ...(filter.search ? [`contains "${escapeText(filter.search, 100)}"`] : []),
    ...(filter.environment ? [`environment ${escapeText(filter.environment, 100)}`] : []),
    ...(filter.name ? [`group ${escapeText(filter.name, 100)}`] : []),
  ];
  return [
    { type: 'actions', block_id: 'home:filter', elements },
    ...(found.length > 0 ? [context(`Filters: ${found.join(', ')}`)] : []),
  ];
}

const menu: Overflow = {
  type: 'overflow',
  action_id: homeActions.more,
  options: menuVerbs.map((value) => ({ text: plain(menuTexts[value], 75), value })),
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

type PickedAction = {
  action_id: string;
  selected_option?: { value?: string } | null;
  selected_user?: string | null;
};

/** Returns the filter after a selection, or undefined if the action isn't a filter. */
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
