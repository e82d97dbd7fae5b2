/** What `/agent` answers in words, to the person alone. */

import type { Mistake } from '../configuration/read-options.ts';
import { escapeText } from '../text/blocks.ts';

export const helpText = [
  '*Start a cloud agent run*',
  '`/agent` opens a form. `/agent <what the agent should do>` opens it with the prompt filled in.',
  '`/agent run <prompt>` starts at once, whatever the prompt begins with.',
  'Before the prompt: `env=` `model=` `name=` `skill=` `preset=` `title=`, for example `/agent env=web title="Fix the login" the login page is blank`. `--dry-run`, before the prompt or after it, shows what would be sent, and starts nothing.',
  '*See and stop runs*',
  '`/agent list [mine|all|@someone] [state]` · `/agent show <run>` · `/agent cancel <run>`. A run is its id, the beginning of it, or a link to its message.',
  '*Set up*',
  '`/agent settings` · `/agent presets`',
  'In a thread commands do not work: mention me there instead. One message follows each run to its end; all runs are in my Home tab.',
].join('\n');

/** Shows where it went wrong, as a compiler would. */
export function mistakeText(typed: string, { problem, at }: Mistake): string {
  const points = [...typed];
  const from = Math.max(0, at - 1 - 20);
  const before = points.slice(from, at - 1).join('');
  const after = points.slice(at - 1, at + 29).join('');
  const excerpt = `${from > 0 ? '…' : ''}${before}▸${after}${points.length > at + 29 ? '…' : ''}`;
  const shown = escapeText(excerpt.replaceAll('`', 'ˋ').replace(/\s+/g, ' '));
  return `⚠️ ${escapeText(problem).replaceAll('&amp;', '&')} (character ${at})\n\`/agent ${shown}\``;
}
