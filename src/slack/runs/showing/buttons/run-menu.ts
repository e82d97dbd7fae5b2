/** The overflow menu of one run: renders its options and reads what was picked. */
import type { Overflow, PlainTextOption } from '@slack/types';
import { plain } from '../../../text/blocks.ts';
import { type RunRef, readRunRef, writeRunRef } from '../../run-ref.ts';

const words = {
  open: 'Open session',
  details: 'Details',
  again: 'Run again',
  change: 'Run again with changes',
  cancel: 'Cancel',
  notify: 'Notify me',
  stop: 'Stop following',
  show: 'Show in channel',
} as const;

export type RunVerb = keyof typeof words;

/** https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element */
const optionsShown = 5;
const optionTextLimit = 75;
const optionValueLimit = 150;

/** Slack itself opens `url` for `open`. Undefined when there is nothing to offer. */
export function renderMenu(
  actionId: string,
  { ref, url }: { ref: RunRef; url: string | undefined },
  verbs: readonly RunVerb[],
): Overflow | undefined {
  const options = verbs
    .map(
      (verb): PlainTextOption => ({
        text: plain(words[verb], optionTextLimit),
        value: `${verb}:${verb === 'open' ? '' : writeRunRef(ref)}`,
        ...(verb === 'open' && url && { url }),
      }),
    )
    // A cut id would lead nowhere.
    .filter(({ value = '' }) => [...value].length <= optionValueLimit)
    .slice(0, optionsShown);
  return options.length > 0 ? { type: 'overflow', action_id: actionId, options } : undefined;
}

/** Undefined for `open`, which Slack has followed already, and for verbs that this menu doesn't have. */
export function readMenuPick<Verb extends RunVerb>(
  verbs: readonly Verb[],
  value: string | undefined,
): { verb: Verb; ref: RunRef } | undefined {
  const [written, ...rest] = value?.split(':') ?? [];
  const verb = verbs.find((each) => each === written);
  const ref = readRunRef(rest.join(':'));
  return verb && ref && { verb, ref };
}
