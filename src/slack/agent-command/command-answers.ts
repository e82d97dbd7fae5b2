import { code } from '../text/escape-text.ts';

export const helpText = [
  '*Start a run*',
  '`/agent` opens a form. `/agent <prompt>` opens it with your prompt.',
  '`/agent run <prompt>` starts a run without the form, even if the prompt starts with a word such as `list`.',
  'Options go before the prompt: `env=` `model=` `name=` `skill=` `preset=` `title=` `connection=`, for example `/agent env=web title="Fix the login" the login page is blank`. `--dry-run`, before or after the prompt, shows what would be sent without starting a run.',
  '*See and cancel runs*',
  '`/agent list [mine|all|@someone] [state]` · `/agent show <run>` · `/agent cancel <run>`. For `<run>`, use its ID, the start of its ID, or a link to its message.',
  '*Set up*',
  '`/agent settings` · `/agent presets` · `/agent connect` and `/agent disconnect` for your own API key · for admins, `/agent audit [@someone] [word]` and `/agent doctor`',
  "Commands don't work in threads. Mention `@agent` there instead. The Home tab lists more runs.",
].join('\n');

/** Says what's wrong and what was typed, which Slack doesn't keep. `problem` is mrkdwn. */
export const mistakeText = (typed: string, problem: string): string =>
  `⚠️ ${problem}\nYou typed: ${code(`/agent ${typed}`, 1_000)}`;
