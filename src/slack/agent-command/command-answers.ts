import type { Mistake } from '../configuration/read-options.ts';
import { escapeText } from '../text/blocks.ts';

export const helpText = [
  '*Start a run*',
  '`/agent` opens a form. `/agent <prompt>` opens it with your prompt.',
  '`/agent run <prompt>` starts a run at once, whatever the prompt begins with.',
  'Options go before the prompt: `env=` `model=` `name=` `skill=` `preset=` `title=`, for example `/agent env=web title="Fix the login" the login page is blank`. `--dry-run`, before or after the prompt, shows what would be sent without starting a run.',
  '*See and cancel runs*',
  '`/agent list [mine|all|@someone] [state]` · `/agent show <run>` · `/agent cancel <run>`. For `<run>`, use its ID, the start of its ID, or a link to its message.',
  '*Set up*',
  '`/agent settings` · `/agent presets`',
  "Commands don't work in threads. Mention `@agent` there instead. The Home tab lists all runs.",
].join('\n');

/** Points at the mistake, as a compiler does. */
export function mistakeText(typed: string, { problem, at }: Mistake): string {
  const points = [...typed];
  const from = Math.max(0, at - 1 - 20);
  const before = points.slice(from, at - 1).join('');
  const after = points.slice(at - 1, at + 29).join('');
  const excerpt = `${from > 0 ? '…' : ''}${before}▸${after}${points.length > at + 29 ? '…' : ''}`;
  const shown = escapeText(excerpt.replaceAll('`', 'ˋ').replace(/\s+/g, ' '));
  return `⚠️ ${escapeText(problem).replaceAll('&amp;', '&')} (character ${at})\n\`/agent ${shown}\``;
}
