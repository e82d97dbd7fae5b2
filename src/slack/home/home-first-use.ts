/** What Home says where there are no runs to list, and what is missing before there can be any. */
import type { KnownBlock } from '@slack/types';
import { actions, button, context, section } from '../text/blocks.ts';
import { type HomeFilter, isNarrowed } from './home-filter.ts';
import { homeActions } from './home-filter-row.ts';
import type { Missing } from './home-setup.ts';

const missingWords: Record<Missing, { words: string; action: string; button: string }> = {
  key: {
    words:
      '*The runs service refuses our key.* Nothing can be started until whoever runs this app sets a valid `RUNS_API_KEY` and starts it again.',
    action: homeActions.check,
    button: 'Check again',
  },
  environment: {
    words:
      '*The runs service lists no environment.* Ask whoever runs it to add one; if you know the id of one, write it into your settings.',
    action: homeActions.settings,
    button: 'Set an environment',
  },
  channel: {
    words:
      '*I am in no channel yet.* In public ones I can post all the same, but I cannot read threads there, nor hear who mentions me.',
    action: homeActions.addToChannel,
    button: 'Add me to a channel',
  },
};

export const renderMissing = (missing: readonly Missing[]): KnownBlock[] =>
  missing.map((each) => {
    const { words, action, button: text } = missingWords[each];
    return section(`⚠️ ${words}`, button(action, text));
  });

export function renderEmpty(filter: HomeFilter, page: number): KnownBlock[] {
  if (page > 1) return [section('There are no older runs.')];
  if (isNarrowed(filter)) {
    return [section('No run fits this filter.'), actions([button(homeActions.clear, 'Show all')])];
  }
  switch (filter.creator) {
    case 'person':
      return [section('No runs of this person.')];
    case 'elsewhere':
      return [section('The runs service lists no runs that were started outside of Slack.')];
    case 'api':
      return [section('The runs service lists no runs that they started outside of Slack.')];
    case 'me':
    case 'everyone':
      return renderFirstUse(filter.creator);
  }
}

/** The page of somebody who has just met the app. */
function renderFirstUse(creator: 'me' | 'everyone'): KnownBlock[] {
  const nobody = creator === 'me' ? 'You have not' : 'Nobody has';
  return [
    section(
      `*${nobody} started a run yet.* A run is a piece of work for a cloud agent: it gets a prompt and an environment, and one message in Slack follows it to its end.`,
    ),
    section('*1. Type a command.* In any channel:\n`/agent count the TODO comments`'),
    section(
      '*2. Mention me.* In a channel or a thread, and the thread goes along:\n`@agent find out why this test fails`',
    ),
    section(
      '*3. Start from a message.* Open the menu of any message, such as an alert, and choose *Run agent on message*.',
    ),
    ...(creator === 'me' ? [actions([button(homeActions.everyone, 'See everyone’s runs')])] : []),
    context(
      '*New run*, above, opens the form from here. `/agent help` says everything else. Runs that were started elsewhere are listed here too.',
    ),
  ];
}
