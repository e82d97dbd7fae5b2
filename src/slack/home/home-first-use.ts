/** Renders the text that Home shows instead of runs. */
import type { KnownBlock } from '@slack/types';
import { actions, button, context, section } from '../text/blocks.ts';
import { type HomeFilter, isNarrowed } from './home-filter.ts';
import { homeActions } from './home-filter-row.ts';

/**
 * Renders the text for an empty list.
 * @param own `hasOwn` is true if the viewer's active runs are listed above this text
 */
export function renderEmpty(
  filter: HomeFilter,
  { page, hasOwn }: { page: number; hasOwn: boolean },
): KnownBlock[] {
  if (page > 1) return [section('No older runs.')];
  if (isNarrowed(filter)) return [section('No runs match these filters.')];
  switch (filter.creator) {
    case 'person':
      return [section('No runs by this person.')];
    case 'automations':
      return [
        section(
          'No runs by automations. To add one, open the menu above and select *Automations*.',
        ),
      ];
    case 'elsewhere':
      return [section('No runs started outside Slack.')];
    case 'me':
    case 'everyone':
      // Leave out the introduction if the person's first run is already shown above. The list can be too old to
      // contain that run.
      return hasOwn ? [] : renderFirstUse(filter.creator);
  }
}

function renderFirstUse(creator: 'me' | 'everyone'): KnownBlock[] {
  const none = creator === 'me' ? "You haven't started a run yet" : 'No runs yet';
  return [
    section(
      `*${none}.* Ask an agent to do something. You get one message that tracks the work and ends with the result.`,
    ),
    section('*1. Type a command.* In any channel:\n`/agent count the TODO comments`'),
    section(
      '*2. Mention the app.* In a channel or a thread. The agent gets the thread too:\n`@agent find out why this test fails`',
    ),
    section(
      '*3. Start from a message.* Open the menu of a message, such as an alert, and select *Run agent on message*.',
    ),
    ...(creator === 'me' ? [actions([button(homeActions.everyone, "See everyone's runs")])] : []),
    context(
      '*New run* above opens the form. `/agent help` explains everything else. Runs started outside Slack are listed here too.',
    ),
  ];
}
