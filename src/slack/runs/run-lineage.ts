import type { SectionBlock } from '@slack/types';
import type { RequestOrigin } from '../../store/request-origin.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { escapeText, safeUrl, section, time } from '../text/blocks.ts';
import { titleLine } from './run-title.ts';

type Again = NonNullable<RequestOrigin['again']>;

const changesLimit = 400;

/** "again of an earlier run, model changed from A to B", in mrkdwn, with a link where there is one. */
export function lineageText({ link, changes }: Again): string {
  const earlier = `again of ${linkTo('an earlier run', link)}`;
  return changes ? `${earlier}, ${changesText(changes)}` : earlier;
}

const changesText = (changes: readonly string[]) => {
  const changed = changes.length > 0 ? changes.join(', ') : 'nothing changed';
  return escapeText(changed.replace(/[\s*]+/g, ' '), changesLimit);
};

function linkTo(words: string, link: string | undefined): string {
  const url = safeUrl(link);
  return url ? `<${escapeText(url).replaceAll('|', '%7C')}|${words}>` : words;
}

/** For *Details*: the runs that this one goes back to, the last first, each with what was changed after it. */
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
    const asked = before ? `, asked ${time(before.acceptedAt)}` : '';
    const changed = changes ? ` Then: ${changesText(changes)}.` : '';
    return [`${index + 1}. ${linkTo(title, link)}${asked}.${changed}`];
  });
  return [section(['*Again of*', ...lines].join('\n'))];
}
