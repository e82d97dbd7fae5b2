/** The filters on the Home tab: renders them and reads what was picked. */
import type { ActionsBlock, ExternalSelect, KnownBlock, StaticSelect } from '@slack/types';
import { z } from 'zod';
import { stateGroups } from '../../store/request-list.ts';
import { newRunButton } from '../runs/run-buttons.ts';
import { actions, button, context, escapeText, plain } from '../text/blocks.ts';
import { readApiCreator, writeApiCreator } from './api-creators.ts';
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
  check: 'home:check',
  addToChannel: 'home:add-to-channel',
  newer: 'home:newer',
  older: 'home:older',
} as const;

const creators = {
  me: 'My runs',
  everyone: 'Everyone’s runs',
  person: 'Runs of …',
  elsewhere: 'Started elsewhere',
  api: 'Started elsewhere by …',
} as const;
const creatorSchema = z.enum(['me', 'everyone', 'person', 'elsewhere', 'api']);

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
    ...(filter.creator === 'api' ? [apiCreatorSelect(filter.by)] : []),
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
    actions([
      newRunButton(),
      button(homeActions.settings, 'Settings'),
      button(homeActions.refresh, 'Refresh'),
    ]),
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

const apiCreatorSelect = (by: ApiCreator | undefined): ExternalSelect => ({
  type: 'external_select',
  action_id: homeActions.apiCreator,
  placeholder: plain('Whose runs?', 150),
  min_query_length: 0,
  ...(by && { initial_option: { text: plain(by.name, 75), value: writeApiCreator(by) } }),
});

type PickedAction = {
  action_id: string;
  selected_option?: { value?: string; text: { text: string } } | null;
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
