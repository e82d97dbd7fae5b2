/** What Home shows instead of runs, and what is missing before the first one. */
import type { KnownBlock } from '@slack/types';
import { actions, button, context, section } from '../text/blocks.ts';
import { type HomeFilter, isNarrowed } from './filter/home-filter.ts';
import { homeActions } from './filter/home-filter-row.ts';
import type { Missing } from './home-setup.ts';

const missingWords: Record<Missing, { words: string; action: string; button: string }> = {
  key: {
    words:
      "*The runs service rejects the app's API key.* No runs can start. Ask the app's operator to set a valid `RUNS_API_KEY` and restart it.",
    action: homeActions.check,
    button: 'Check again',
  },
  workspaceKey: {
    words:
      "*The runs service refuses this workspace's key.* No runs can start. An admin can replace it.",
    action: homeActions.connections,
    button: 'Connections',
  },
  ownKey: {
    words: '*The runs service refuses your key.* Your runs need a new one.',
    action: homeActions.connections,
    button: 'Connections',
  },
  environment: {
    words:
      '*The runs service lists no environments.* Ask its operator to add one. If you know the ID of one, enter it in your settings.',
    action: homeActions.settings,
    button: 'Set environment',
  },
  channel: {
    words:
      "*The app isn't in any channel yet.* It can post in public channels, but it can't read threads or see mentions there.",
    action: homeActions.addToChannel,
    button: 'Add app to channel',
  },
};

export const renderMissing = (missing: readonly Missing[]): KnownBlock[] =>
  missing.map((each) => {
    const { words, action, button: text } = missingWords[each];
    return section(`⚠️ ${words}`, button(action, text));
  });

/** `hasLive`: the viewer's active runs are shown above, whatever the filter is. */
export function renderEmpty(
  filter: HomeFilter,
  { page, hasLive }: { page: number; hasLive: boolean },
): KnownBlock[] {
  if (page > 1) return [section('No older runs.')];
  if (isNarrowed(filter)) {
    return [
      section('No runs match these filters.'),
      actions([button(homeActions.clear, 'Clear filters')]),
    ];
  }
  switch (filter.creator) {
    case 'person':
      return [section('No runs by this person.')];
    case 'elsewhere':
      return [section('No runs started outside Slack.')];
    case 'api':
      return [section('No runs started outside Slack by this creator.')];
    case 'me':
    case 'everyone':
      // A run that was started after the list was read.
      return hasLive ? [] : renderFirstUse(filter.creator);
  }
}

function renderFirstUse(creator: 'me' | 'everyone'): KnownBlock[] {
  const none = creator === 'me' ? "You haven't started a run yet" : 'No runs yet';
  return [
    section(
      `*${none}.* In a run, a cloud agent works on your prompt. One message in Slack shows how it's going.`,
    ),
    section('*1. Type a command.* In any channel:\n`/agent count the TODO comments`'),
    section(
      '*2. Mention the app.* In a channel or a thread. The agent gets the thread too:\n`@agent find out why this test fails`',
    ),
    section(
      '*3. Start from a message.* Open the menu of a message, such as an alert, and choose *Run agent on message*.',
    ),
    ...(creator === 'me' ? [actions([button(homeActions.everyone, "See everyone's runs")])] : []),
    context(
      '*New run* above opens the form. `/agent help` explains everything else. Runs started outside Slack are listed here too.',
    ),
  ];
}
