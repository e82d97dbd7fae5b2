import type { SectionBlock } from '@slack/types';
import type { RequestOrigin } from '../../store/requests/request-origin.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { escapeText, safeUrl, section, time } from '../text/blocks.ts';
import { titleLine } from './run-title.ts';

type Again = NonNullable<RequestOrigin['again']>;

const changesLimit = 400;

export const earlierRunLink = ({ link }: Again): string =>
  `repeats ${linkTo('an earlier run', link)}`;

const changesText = (changes: readonly string[]) => {
  const changed = changes.length > 0 ? changes.join(', ') : 'nothing changed';
  return escapeText(changed.replace(/[\s*]+/g, ' '), changesLimit);
};

function linkTo(words: string, link: string | undefined): string {
  const url = safeUrl(link);
  return url ? `<${escapeText(url).replaceAll('|', '%7C')}|${words}>` : words;
}

/** For *Details*: the earlier runs that this one repeats, the last first, each with what changed after it. */
export function renderLineage(
  request: Pick<RunRequest, 'origin'>,
  earlier: readonly RunRequest[],
): SectionBlock[] {
  const { again } = request.origin ?? {};
  if (!again) return [];
  const chain: Pick<RunRequest, 'origin'>[] = [request, ...earlier];
  const lines = chain.flatMap(({ origin }, index) => {
    if (!origin?.again) return [];
    const before = earlier[index];
    const { link, changes } = origin.again;
    const title = before ? escapeText(titleLine(before.title), 100) : 'An earlier run';
    const asked = before ? `, ${time(before.acceptedAt)}` : '';
    const changed = changes ? ` Since then: ${changesText(changes)}.` : '';
    return [`${index + 1}. ${linkTo(title, link)}${asked}.${changed}`];
  });
  return [section(['*Repeats*', ...lines].join('\n'))];
}
