import type { KnownBlock } from '@slack/types';
import { newRunButton } from '../runs/showing/buttons/run-buttons.ts';
import { button, section } from '../text/blocks.ts';
import { code } from '../text/escape-text.ts';

export const helpActions = { list: 'agent-command:list', settings: 'agent-command:settings' };

const helpParts = {
  start: [
    '*Start a run*',
    '`/agent fix the login test` opens the form. `/agent run fix the login test` starts right away.',
    'In a thread, mention the app: `@agent fix this`. In its direct messages, write only the prompt.',
  ],
  thread: [
    "*In a run's thread*",
    'Reply: `@agent also update the docs`. Stop: `@agent stop`, or *Cancel* below the run.',
    'Pull request: *Create pull request* below the result.',
  ],
  find: [
    '*Find runs*',
    '`/agent list` · `/agent list all failed` · `/agent show &lt;id or link&gt;` · `/agent cancel &lt;id or link&gt;`',
  ],
  more: [
    '*Options and settings*',
    'Before the prompt: `env=web model=large title="Fix the login" preset=nightly`, also `name=` `skill=` `connection=`. `--dry-run` shows what would be sent.',
    '`/agent settings` · `/agent presets` · `/agent connect` · for admins: `/agent audit`, `/agent doctor`',
  ],
} as const;

const textOfPart = (part: keyof typeof helpParts) => helpParts[part].join('\n');

/** Answer to `/agent help`. */
export const help: { text: string; blocks: KnownBlock[] } = {
  text: (Object.keys(helpParts) as (keyof typeof helpParts)[]).map(textOfPart).join('\n'),
  blocks: [
    section(textOfPart('start'), newRunButton()),
    section(textOfPart('thread')),
    section(textOfPart('find'), button(helpActions.list, 'My runs')),
    section(textOfPart('more'), button(helpActions.settings, 'Settings')),
  ],
};

/** Says what's wrong and what was typed, which Slack doesn't keep. `problem` is mrkdwn. */
export const mistakeText = (typed: string, problem: string): string =>
  `⚠️ ${problem}\nYou typed: ${code(`/agent ${typed}`, 1_000)}`;
