import { Mrkdwn, PlainText } from '../text/mrkdwn.tsx';
import type { TextObject } from './block-types.ts';

/** A text object, by its kind. */
export function Text({ text }: { text: TextObject | undefined }) {
  if (!text) return null;
  return text.type === 'mrkdwn' ? <Mrkdwn text={text.text} /> : <PlainText text={text.text} />;
}
