import type { SectionBlock } from '@slack/types';
import { readableLine } from 'base/readable-text';
import { shownText } from 'base/secrets/mask-secrets';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { plain } from '../../text/blocks.ts';
import { limits, shorten } from '../../text/escape-text.ts';

const charactersShown = 300;

/** The first lines of the prompt. *Details* has the rest. */
export function renderPrompt(request: RunRequest, linesShown: number): SectionBlock[] {
  const [first = '', ...later] = shownText(request.prompt)
    .split('\n')
    .filter((line) => line.trim());
  const rest = afterTitle(readableLine(first), shorten(request.title, limits.header));
  const lines = rest === undefined ? [first, ...later] : [rest, ...later].filter(Boolean);
  const more = lines.length > linesShown ? ' …' : '';
  const text = lines.slice(0, linesShown).join('\n') + more;
  return text ? [{ type: 'section', text: plain(text, charactersShown) }] : [];
}

/** What follows the title in the first line, where that begins with the title, whole or cut; else undefined. */
function afterTitle(line: string, title: string): string | undefined {
  if (line === title) return '';
  const beginning = title.endsWith('…') ? title.slice(0, -1) : undefined;
  return beginning && line.startsWith(beginning) ? `…${line.slice(beginning.length)}` : undefined;
}
