import type { SectionBlock } from '@slack/types';
import { readableLine } from '../../lib/readable-text.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { splitPrompt } from '../runs/prompt-context.ts';
import { shownText } from '../secrets/mask-secrets.ts';
import { plain } from '../text/blocks.ts';

const linesShown = 3;
const charactersShown = 300;

/** The first lines of the prompt without the thread that was sent with it. *Details* has the rest. */
export function renderPrompt(request: RunRequest): SectionBlock[] {
  const [first = '', ...later] = shownText(writtenPrompt(request))
    .split('\n')
    .filter((line) => line.trim());
  // The title stands above already.
  const lines = readableLine(first) === request.title ? later : [first, ...later];
  const more = lines.length > linesShown ? ' …' : '';
  const text = lines.slice(0, linesShown).join('\n') + more;
  return text ? [{ type: 'section', text: plain(text, charactersShown) }] : [];
}

const writtenPrompt = ({ prompt, origin }: RunRequest): string =>
  (origin?.context?.messages && splitPrompt(prompt).prompt) || prompt;
