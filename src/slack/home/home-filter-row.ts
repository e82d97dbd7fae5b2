/** The filters on the Home tab: renders them and reads what was picked. */
import type { ActionsBlock, KnownBlock, StaticSelect } from '@slack/types';
import { z } from 'zod';
import { stateGroups } from '../../store/request-list.ts';
import { actions, button, context, escapeText, plain } from '../blocks.ts';
import { newRunButton } from '../run-buttons.ts';
import { type HomeFilter, isNarrowed } from './home-filter.ts';

export const homeActions = {
  creator: 'home:creator',
  person: 'home:person',
  state: 'home:state',
  find: 'home:find',
  clear: 'home:clear',
  refresh: 'home:refresh',
  newer: 'home:newer',
  older: 'home:older',
} as const;

const creators = {
  me: 'My runs',
  everyone: 'Everyone’s runs',
  person: 'Runs of …',
  elsewhere: 'Started elsewhere',
} as const;
const creatorSchema = z.enum(['me', 'everyone', 'person', 'elsewhere']);

const states = {
  any: 'Any state',
  live: 'Going on',
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const;
const stateSchema = z.enum(['any', ...stateGroups]);

export function renderFilterRow(filter: HomeFilter): KnownBlock[] {
  const elements: ActionsBlock['elements'] = [
    select(homeActions.creator, creators, filter.creator),
    ...(filter.creator === 'person' ? [personSelect(filter.userId)] : []),
    select(homeActions.state, states, filter.state ?? 'any'),
    button(homeActions.find, 'Find …'),
    ...(isNarrowed(filter) ? [button(homeActions.clear, 'Show all')] : []),
  ];
  const found = [
    ...(filter.search ? [`words “${escapeText(filter.search, 100)}”`] : []),
    ...(filter.environment ? [`environment ${escapeText(filter.environment, 100)}`] : []),
    ...(filter.name ? [`name ${escapeText(filter.name, 100)}`] : []),
  ];
  return [
    actions([newRunButton(), button(homeActions.refresh, 'Refresh')]),
    { type: 'actions', block_id: 'home:filter', elements },
    ...(found.length > 0 ? [context(`Only with ${found.join(', ')}`)] : []),
  ];
}

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
  placeholder: plain('Whose runs?', 150),
  initial_user: userId,
});

type PickedAction = {
  action_id: string;
  selected_option?: { value: string } | null;
  selected_user?: string | null;
};

/** The filter after something was picked; undefined when that was no filter. */
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
