import type { KnownBlock } from '@slack/types';
import { newRunButton } from '../runs/showing/buttons/run-buttons.ts';
import { button, section } from '../text/blocks.ts';
import { code } from '../text/escape-text.ts';

export const helpActions = { list: 'agent-command:list', settings: 'agent-command:settings' };

const helpTexts = {
  start: [
    '*Start*',
    '`/agent fix the login test` opens the form. `/agent run fix the login test` starts right away.',
    'In a thread: `@agent fix this`. In a direct message to the app, type only the prompt.',
  ],
  runs: [
    '*Runs*',
    "In a run's thread: `@agent also update the docs` · `@agent stop`",
    '`/agent list` · `/agent list all failed` · `/agent show &lt;id or link&gt;` · `/agent cancel &lt;id or link&gt;`',
  ],
  options: [
    '*Options*',
    'Before the prompt: `env=web model=large title="Fix the login" preset=nightly`',
    'Add `--dry-run` to preview a run without starting it.',
  ],
  automations: [
    '*Automations*',
    '`/agent schedule every weekday at 9:00 | check the dependencies` starts runs on a schedule. `/agent schedule` opens the form.',
    '`/agent automations` lists what starts with a schedule, a webhook, a message or an emoji.',
  ],
  more: [
    '*More*',
    '`/agent usage` · `/agent usage #channel 30d` · `/agent usage everyone`',
    '`/agent settings` · `/agent presets` · `/agent connect` · for admins: `/agent audit` · `/agent doctor`',
  ],
} as const;

const helpText = (topic: keyof typeof helpTexts) => helpTexts[topic].join('\n');

/** Answer to `/agent help`, and to "help" in direct messages with the app. */
export const help: { text: string; blocks: KnownBlock[] } = {
  text: 'How to start runs, find them and set options',
  blocks: [
    section(helpText('start'), newRunButton('Open form')),
    section(helpText('runs'), button(helpActions.list, 'My runs')),
    section(helpText('options')),
    section(helpText('automations')),
    section(helpText('more'), button(helpActions.settings, 'Settings')),
  ],
};

/** Returns the problem and the typed text, because Slack doesn't keep typed commands. `problem` is mrkdwn. */
export const mistakeText = (typed: string, problem: string): string =>
  `⚠️ ${problem}\nYou typed: ${code(`/agent ${typed}`, 1_000)}`;
